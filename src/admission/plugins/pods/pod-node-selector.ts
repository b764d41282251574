import { failureText, isJsonObject, memberOf } from '#base';
import { checkLabelValue, checkQualifiedName, type ApiObject } from '#api';
import { withoutReason, type ApiError } from '#errors';
import type { Pod } from '#kinds';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

const NAME = 'PodNodeSelector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

type Labels = ReadonlyMap<string, string>;
/** Allowed selectors by namespace, and the cluster default for pods whose namespace has no annotation. */
type Selectors = ReadonlyMap<string, Labels>;

/**
 * Merges the node selector of the namespace into its pods, and refuses conflicting ones. The configuration is `podNodeSelectorPluginConfig` with a
 * selector such as `env=test,disk=ssd` for each namespace and one as `clusterDefaultNodeSelector`.
 * @spec 4.11
 */
export const podNodeSelector = definePlugin({
  name: NAME,
  enabled: false,
  band: 'builtin',
  after: ['PodSecurityPolicy'],
  create(env) {
    const selectors = readConfig(env.config(NAME));
    return {
      on: ['CREATE'],
      kinds: ['/pods'],
      async mutate(request) {
        const { spec } = request.object as Pod;
        const wanted = await selectorOf(env, selectors, request);
        requireAgreement(request, wanted);
        if (wanted.size > 0) spec.nodeSelector = { ...spec.nodeSelector, ...Object.fromEntries(wanted) };
        requireAllowed(request, selectors);
      },
      async validate(request) {
        requireAgreement(request, await selectorOf(env, selectors, request));
        requireAllowed(request, selectors);
      },
    };
  },
});

const saidBy = ({ object }: AdmissionRequest): readonly (readonly [string, string])[] => Object.entries((object as Pod).spec.nodeSelector ?? {});

function requireAgreement(request: AdmissionRequest, wanted: Labels): void {
  const differs = saidBy(request).some(([label, value]) => wanted.has(label) && wanted.get(label) !== value);
  if (differs) throw refuse(request, 'pod node label selector conflicts with its namespace node label selector');
}

function requireAllowed(request: AdmissionRequest, selectors: Selectors): void {
  const allowed = selectors.get(request.namespace);
  if (allowed === undefined || allowed.size === 0 || saidBy(request).every(([label, value]) => allowed.get(label) === value)) return;
  throw refuse(request, 'pod node label selector labels conflict with its namespace whitelist');
}

/** The node selector in the namespace's annotation, else the cluster default. */
async function selectorOf({ objects, brand }: AdmissionEnv, selectors: Selectors, request: AdmissionRequest): Promise<Labels> {
  const found: ApiObject | undefined = await objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name: request.namespace });
  const said = found?.metadata.annotations?.[`scheduler.alpha.${brand.names.domain}/node-selector`];
  if (said === undefined) return selectors.get(CLUSTER_DEFAULT) ?? new Map();
  return readSelector(said);
}

/** Parses `a=b,c=d`. Throws an `ApiError` where it does not have that form. */
function readSelector(text: string): Labels {
  if (text === '') return new Map();
  return new Map(
    text.split(',').map((pair): [string, string] => {
      const parts = pair.split('=');
      const [label = '', value = '', ...more] = parts.map((part) => part.trim());
      if (parts.length < 2 || more.length > 0) throw withoutReason(`invalid selector: [${parts.join(' ')}]`);
      const [badLabel, badValue] = [checkQualifiedName(label), checkLabelValue(value)];
      if (badLabel !== undefined) throw invalid('<nil>', label, badLabel);
      if (badValue !== undefined) throw invalid(`[${label}]`, value, badValue);
      return [label, value];
    }),
  );
}

const invalid = (where: string, value: string, faults: readonly string[]): ApiError =>
  withoutReason(`${where}: Invalid value: ${JSON.stringify(value)}: ${faults.join('; ')}`);

function readConfig(config: unknown): Selectors {
  // An empty file says nothing.
  const configuration = config ?? {};
  const given = isJsonObject(configuration) ? (memberOf(configuration, 'podNodeSelectorPluginConfig') ?? {}) : undefined;
  if (!isJsonObject(given)) {
    throw new Error(`admission plugin ${NAME}: podNodeSelectorPluginConfig must be an object with a selector for each namespace`);
  }
  return new Map(Object.entries(given).map(([namespace, selector]) => [namespace, readConfigured(namespace, selector ?? '')]));
}

function readConfigured(namespace: string, selector: unknown): Labels {
  const wrong = (why: string, cause?: unknown): Error => new Error(`admission plugin ${NAME}: the selector of ${namespace} must look like a=b,c=d${why}`, { cause });
  if (typeof selector !== 'string') throw wrong('');
  try {
    return readSelector(selector);
  } catch (cause) {
    throw wrong(`: ${failureText(cause)}`, cause);
  }
}
