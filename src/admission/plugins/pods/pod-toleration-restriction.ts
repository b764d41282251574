import { memberOf } from '#base';
import type { ApiObject } from '#api';
import { withoutReason } from '#errors';
import { configuredTolerations, coveredBy, mergeTolerations, qosClassOf, readTolerations, type Pod } from '#kinds';
import { requireKind } from '../../configuration-kind.ts';
import { definePlugin, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

const NAME = 'PodTolerationRestriction';
const CONFIGURATION = { kind: 'Configuration', group: 'podtolerationrestriction', version: 'v1alpha1' };

type Tolerations = readonly NonNullable<Pod['spec']['tolerations']>[number][];

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
        const given = request.operation === 'CREATE' ? ((await said(env, request, 'defaultTolerations')) ?? general.default) : [];
        // Pods with requests or limits may run on nodes under memory pressure.
        const more = qosClassOf(spec) === 'BestEffort' ? given : [...given, memoryPressure(env)];
        if (more.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], more);
        await requireAllowed(env, general, request);
      },
      validate: (request) => requireAllowed(env, general, request),
    };
  },
});

async function requireAllowed(env: AdmissionEnv, general: Rules, request: AdmissionRequest): Promise<void> {
  const has = (request.object as Pod).spec.tolerations ?? [];
  if (has.length === 0) return;
  const own = await said(env, request, 'tolerationsWhitelist');
  const whitelist = own ?? general.whitelist;
  if (whitelist.length === 0 || has.every(coveredBy(whitelist))) return;
  const scope = own === undefined ? 'cluster' : 'namespace';
  throw withoutReason(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`);
}

const memoryPressure = ({ brand }: AdmissionEnv): Tolerations[number] => ({
  key: `node.${brand.names.domain}/memory-pressure`,
  operator: 'Exists',
  effect: 'NoSchedule',
});

/** The list in an annotation of the namespace; undefined: there is no such annotation. */
async function said({ objects, brand }: AdmissionEnv, { namespace }: AdmissionRequest, key: string): Promise<Tolerations | undefined> {
  const found: ApiObject | undefined = await objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name: namespace });
  const text = found?.metadata.annotations?.[`scheduler.alpha.${brand.names.domain}/${key}`];
  if (text === undefined) return undefined;
  if (text === '') return [];
  const read = readTolerations(text);
  if ('fault' in read) throw withoutReason(read.fault);
  return read.tolerations;
}

function readConfig(config: unknown): Rules {
  if (config === undefined) return { default: [], whitelist: [] };
  const given = requireKind(NAME, config, CONFIGURATION);
  const list = (key: keyof Rules): Tolerations => configuredTolerations(memberOf(given, key), `configuration of the admission plugin ${NAME}: ${key}`);
  return { default: list('default'), whitelist: list('whitelist') };
}
