import { isJsonObject } from '#base';
import { parseLabelSelector, type ApiObject } from '#api';
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
  after: ['PodSecurity'],
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
      },
      async validate(request) {
        requireAgreement(request, await selectorOf(env, selectors, request));
        const allowed = selectors.get(request.namespace);
        if (allowed === undefined || allowed.size === 0 || saidBy(request).every(([label, value]) => allowed.get(label) === value)) return;
        throw refuse(request, 'pod node label selector labels conflict with its namespace whitelist');
      },
    };
  },
});

const saidBy = ({ object }: AdmissionRequest): readonly (readonly [string, string])[] => Object.entries((object as Pod).spec.nodeSelector ?? {});

function requireAgreement(request: AdmissionRequest, wanted: Labels): void {
  const differs = saidBy(request).some(([label, value]) => wanted.has(label) && wanted.get(label) !== value);
  if (differs) throw refuse(request, 'pod node label selector conflicts with its namespace node label selector');
}

/** The node selector in the namespace's annotation, else the cluster default. */
async function selectorOf({ objects, brand }: AdmissionEnv, selectors: Selectors, request: AdmissionRequest): Promise<Labels> {
  const found: ApiObject | undefined = await objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name: request.namespace });
  const said = found?.metadata.annotations?.[`scheduler.alpha.${brand.names.domain}/node-selector`];
  if (said === undefined) return selectors.get(CLUSTER_DEFAULT) ?? new Map();
  const labels = readSelector(said);
  if (labels === undefined) throw refuse(request, `namespace ${request.namespace} has a node selector that is none: ${JSON.stringify(said)}`);
  return labels;
}

/** Parses `a=b,c=d`; undefined: it does not have that form. */
function readSelector(text: string): Labels | undefined {
  try {
    const labels = new Map<string, string>();
    for (const { key, operator, values } of parseLabelSelector(text)) {
      const [value, ...more] = values;
      if (operator !== '=' || value === undefined || more.length > 0) return undefined;
      labels.set(key, value);
    }
    return labels;
  } catch {
    return undefined;
  }
}

function readConfig(config: unknown): Selectors {
  const given = isJsonObject(config) ? (config['podNodeSelectorPluginConfig'] ?? {}) : {};
  if ((config !== undefined && !isJsonObject(config)) || !isJsonObject(given)) {
    throw new Error(`admission plugin ${NAME}: podNodeSelectorPluginConfig must be an object with a selector for each namespace`);
  }
  return new Map(
    Object.entries(given).map(([namespace, text]) => {
      const labels = typeof text === 'string' ? readSelector(text) : undefined;
      if (labels === undefined) throw new Error(`admission plugin ${NAME}: the selector of ${namespace} must look like a=b,c=d`);
      return [namespace, labels];
    }),
  );
}
