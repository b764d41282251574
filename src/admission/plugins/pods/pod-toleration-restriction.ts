import { isJsonObject, parseJsonText } from '#base';
import type { ApiObject } from '#api';
import { covers, mergeTolerations, qosClassOf, type Pod } from '#kinds';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

const NAME = 'PodTolerationRestriction';

type Tolerations = NonNullable<Pod['spec']['tolerations']>;

interface Rules {
  /** Tolerations added to those of pods. */
  readonly default: Tolerations;
  /** Tolerations that pods may have; empty: any. */
  readonly whitelist: Tolerations;
}

/**
 * Adds the default tolerations of the namespace to pods, and refuses tolerations that its whitelist does not cover. The configuration has `default`
 * and `whitelist`, for namespaces without annotations.
 * @spec 4.11
 */
export const podTolerationRestriction = definePlugin({
  name: NAME,
  enabled: false,
  band: 'builtin',
  after: ['DefaultTolerationSeconds'],
  create(env) {
    const general = readConfig(env.config(NAME));
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods'],
      async mutate(request) {
        const { spec } = request.object as Pod;
        if (request.operation !== 'CREATE') return;
        const { default: given } = await rulesOf(env, general, request);
        // Pods with requests or limits may run on nodes under memory pressure.
        const more = qosClassOf(spec) === 'BestEffort' ? given : [...given, memoryPressure(env)];
        if (more.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], more);
      },
      async validate(request) {
        const { whitelist } = await rulesOf(env, general, request);
        const said = (request.object as Pod).spec.tolerations ?? [];
        if (whitelist.length === 0 || said.every((one) => whitelist.some((allowed) => covers(allowed, one)))) return;
        throw refuse(request, 'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist');
      },
    };
  },
});

const memoryPressure = ({ brand }: AdmissionEnv): Tolerations[number] => ({
  key: `node.${brand.names.domain}/memory-pressure`,
  operator: 'Exists',
  effect: 'NoSchedule',
});

async function rulesOf({ objects, brand }: AdmissionEnv, general: Rules, request: AdmissionRequest): Promise<Rules> {
  const found: ApiObject | undefined = await objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name: request.namespace });
  const said = (key: string): Tolerations | undefined => {
    const text = found?.metadata.annotations?.[`scheduler.alpha.${brand.names.domain}/${key}`];
    if (!text) return undefined;
    const list = readTolerations(readJson(text));
    if (list === undefined) throw refuse(request, `annotation ${key} of namespace ${request.namespace} is no list of tolerations`);
    return list;
  };
  return { default: said('defaultTolerations') ?? general.default, whitelist: said('tolerationsWhitelist') ?? general.whitelist };
}

function readJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

const MEMBERS: Readonly<Record<string, string>> = { key: 'string', operator: 'string', value: 'string', effect: 'string', tolerationSeconds: 'number' };

/** Reads a list of tolerations; undefined: it is none. */
function readTolerations(value: unknown): Tolerations | undefined {
  if (!Array.isArray(value)) return undefined;
  const isToleration = (one: unknown): boolean => isJsonObject(one) && Object.entries(one).every(([member, is]) => typeof is === MEMBERS[member]);
  return value.every(isToleration) ? (value as Tolerations) : undefined;
}

function readConfig(config: unknown): Rules {
  const members = config === undefined ? {} : config;
  if (!isJsonObject(members)) throw new Error(`admission plugin ${NAME}: the configuration must be an object with default and whitelist`);
  const list = (key: string): Tolerations => {
    const found = readTolerations(members[key] ?? []);
    if (found === undefined) throw new Error(`admission plugin ${NAME}: ${key} must be a list of tolerations`);
    return found;
  };
  return { default: list('default'), whitelist: list('whitelist') };
}
