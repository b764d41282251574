import { isJsonObject, memberOf, type JsonObject } from '#base';
import { versionInAnyDialect } from '#api';

/** The configuration of one plugin: the path of a file, or inline. */
export interface PluginConfig {
  readonly name: string;
  /** Relative to the file that has this entry. */
  readonly path?: string;
  readonly configuration?: unknown;
}

/** Accepted values of `apiVersion`. */
const VERSIONS: readonly unknown[] = versionInAnyDialect('apiserver.config', 'v1');
/** Accepted values from before v1. */
const EARLIER: readonly unknown[] = versionInAnyDialect('apiserver', 'v1alpha1');

/** Plugins whose configuration had a file of its own before there was an AdmissionConfiguration, and the member by which that is known. */
const ALONE: Readonly<Record<string, string>> = { ImagePolicyWebhook: 'imagePolicy', PodNodeSelector: 'podNodeSelectorPluginConfig' };

/**
 * Reads the plugin entries of an AdmissionConfiguration, parsed from YAML, or of a file that is the configuration of such plugins itself. Throws an
 * `Error` that names the invalid field.
 * @spec 2.8
 */
export function readAdmissionConfiguration(document: unknown): readonly PluginConfig[] {
  if (!isJsonObject(document)) throw new Error('it is empty or not a map');
  const [apiVersion, kind] = [memberOf(document, 'apiVersion'), memberOf(document, 'kind')];
  if (kind !== 'AdmissionConfiguration' || !(VERSIONS.includes(apiVersion) || EARLIER.includes(apiVersion))) {
    const alone = Object.keys(ALONE).filter((name) => memberOf(document, ALONE[name] ?? '') !== undefined);
    if (alone.length > 0) return alone.map((name) => ({ name, configuration: document }));
    throw new Error(`it must be an AdmissionConfiguration of ${VERSIONS.join(' or ')}`);
  }
  const plugins = memberOf(document, 'plugins') ?? [];
  if (!Array.isArray(plugins)) throw new Error('plugins must be a list');
  const configs = plugins.map((one: unknown, at) => readPlugin(isJsonObject(one) ? one : {}, `plugins[${at}]`));
  const twice = configs.find(({ name }, at) => configs.findIndex((other) => other.name === name) < at);
  if (twice !== undefined) throw new Error(`plugins names ${JSON.stringify(twice.name)} twice`);
  return configs;
}

function readPlugin(entry: JsonObject, where: string): PluginConfig {
  const [name, path, configuration] = [memberOf(entry, 'name'), memberOf(entry, 'path') ?? '', memberOf(entry, 'configuration') ?? undefined];
  if (typeof name !== 'string' || name === '') throw new Error(`${where}.name must be the name of a plugin`);
  if (typeof path !== 'string') throw new Error(`${where}.path must be a text`);
  if (path !== '' && configuration !== undefined) throw new Error(`${where} has both path and configuration: keep one`);
  return { name, ...(path === '' ? {} : { path }), ...(configuration === undefined ? {} : { configuration }) };
}
