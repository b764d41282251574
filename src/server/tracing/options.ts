import { isJsonObject } from '#base';
import { parseYaml } from '#codec';

/** The collector of traces, and the sampling rate. */
export interface TracingOptions {
  /** Base address of a collector that takes OTLP over HTTP, as `http://localhost:4318`. */
  readonly endpoint: string;
  /** Sampled requests per million of those that carry no trace context. */
  readonly samplingRatePerMillion: number;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const MILLION = 1_000_000;

/** A `TracingConfiguration`, YAML or JSON; an empty text is one that says nothing. Throws an `Error` that names the field. @spec 6 */
export function readTracing(text: string): TracingOptions {
  if (text.trim() === '') return { endpoint: DEFAULT_ENDPOINT, samplingRatePerMillion: 0 };
  const file = parseYaml(new TextEncoder().encode(text));
  if (!isJsonObject(file)) throw new Error('a TracingConfiguration is an object');
  const { apiVersion, kind, endpoint = DEFAULT_ENDPOINT, samplingRatePerMillion = 0, ...others } = file;
  if (kind !== 'TracingConfiguration' || !/^apiserver\.config\.[a-z0-9.-]+\/v1alpha1$/.test(String(apiVersion))) {
    throw new Error('it is a TracingConfiguration of apiserver.config.<domain>/v1alpha1');
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`there is no field ${JSON.stringify(unknown)}; there are endpoint and samplingRatePerMillion`);
  if (typeof samplingRatePerMillion !== 'number' || !Number.isInteger(samplingRatePerMillion) || samplingRatePerMillion < 0 || samplingRatePerMillion > MILLION) {
    throw new Error(`samplingRatePerMillion is a whole number from 0 to ${MILLION}`);
  }
  return { endpoint: addressOf(endpoint), samplingRatePerMillion };
}

/** A host and port without scheme are called without encryption. */
function addressOf(endpoint: unknown): string {
  const text = typeof endpoint === 'string' && !endpoint.includes('://') ? `http://${endpoint}` : String(endpoint);
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw new Error(`endpoint ${JSON.stringify(endpoint)} is no address as http://localhost:4318`);
  return text.replace(/\/$/, '');
}
