import type { ApiObject, Brand, ObjectAccess } from '#api';
import { every, isDeepEqual, type Clock, type Log } from '#base';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '#kinds';
import type { Loopback } from '../loopback.ts';
import { sendObject } from '../send-object.ts';
import { flowSchemas, priorityLevels } from './flow-control.table.ts';

export interface KeptFlowObjects {
  readonly loopback: Loopback;
  readonly objects: ObjectAccess;
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
}

/** The version in which the server itself writes these objects. */
export const flowControlVersion = (brand: Brand): string => `${brand.group('flowcontrol')}/v1beta2`;

/** How often the objects are compared with what they should be. */
const INTERVAL_MS = 60_000;

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly specs: Readonly<Record<string, object>>;
  /** Those of them that users cannot change: the server relies on them. */
  readonly mandatory: Readonly<Record<string, object>>;
}

/**
 * Creates the default priority levels and flow schemas, and maintains them until the signal aborts: deleted ones are created again, changed ones are
 * reset, unless their annotation opts out. Kinds that are not served are skipped. Throws where the first round fails.
 */
export async function keepFlowObjects(kept: KeptFlowObjects, signal: AbortSignal): Promise<void> {
  await ensureAll(kept);
  const failed = (cause: unknown): void => kept.log.warn('flow control objects could not be looked after', { reason: String(cause) });
  every(kept.clock, INTERVAL_MS, () => ensureAll(kept).catch(failed), signal);
}

/** Levels first, so that no schema refers to a missing level. */
async function ensureAll(kept: KeptFlowObjects): Promise<void> {
  await ensureKind(kept, { kind: 'PriorityLevelConfiguration', plural: 'prioritylevelconfigurations', specs: priorityLevels(), mandatory: MANDATORY_PRIORITY_LEVELS });
  await ensureKind(kept, { kind: 'FlowSchema', plural: 'flowschemas', specs: flowSchemas(kept.brand), mandatory: MANDATORY_FLOW_SCHEMAS });
}

async function ensureKind(kept: KeptFlowObjects, { kind, plural, specs, mandatory }: Kind): Promise<void> {
  const present = new Map((await kept.objects.list({ group: 'flowcontrol', kind }, '')).map((object) => [object.metadata.name, object]));
  const apiVersion = flowControlVersion(kept.brand);
  const path = `/apis/${apiVersion}/${plural}`;
  const annotation = kept.brand.names.autoUpdateAnnotation;
  await Promise.all(
    Object.entries(specs).map(async ([name, spec]) => {
      const live = present.get(name);
      const wanted = { apiVersion, kind, metadata: { name, annotations: { [annotation]: 'true' } }, spec };
      if (live === undefined) await sendObject(kept.loopback, { method: 'POST', path, object: wanted, fine: FINE });
      else if ((Object.hasOwn(mandatory, name) || isOurs(live, annotation)) && !isAsWanted(live, spec, annotation)) await put(kept, `${path}/${name}`, live, wanted);
    }),
  );
}

/**
 * Whether the server may reset the object. An administrator who changes one sets the annotation to `false`; without the annotation, an object whose
 * spec was never changed is the server's.
 */
function isOurs({ metadata }: ApiObject, annotation: string): boolean {
  const said = metadata.annotations?.[annotation];
  return said === undefined ? metadata.generation === 1 : said === 'true';
}

const isAsWanted = (live: ApiObject, spec: object, annotation: string): boolean =>
  live.metadata.annotations?.[annotation] === 'true' && isDeepEqual((live as ApiObject & { readonly spec?: unknown }).spec, spec);

async function put(kept: KeptFlowObjects, path: string, live: ApiObject, wanted: { readonly metadata: object }): Promise<void> {
  const { resourceVersion = '', labels, annotations, name = '' } = live.metadata;
  const ours = { ...annotations, [kept.brand.names.autoUpdateAnnotation]: 'true' };
  const metadata = { ...wanted.metadata, name, resourceVersion, ...(labels === undefined ? {} : { labels }), annotations: ours };
  await sendObject(kept.loopback, { method: 'PUT', path, object: { ...wanted, metadata }, fine: FINE });
}

/** Also fine: another server created it first, or the version is not served. */
const FINE: readonly number[] = [200, 201, 404, 409];
