import { cloneJson, isDeepEqual } from '#base';
import { isRefusal } from '#errors';
import type { ApiObject, Catalog, ObjectKey } from '#api';
import { POLICY_KINDS } from '#authorization';
import { create, list, OWN_WRITE, remove, update, type Registries, type Registry, type TrackOwn } from '#registry';
import type { Settings } from '../options.ts';
import { PREDECESSORS } from './bindings.table.ts';
import { completePolicy, isLeftAlone, refersElsewhere } from './complete-policy.ts';
import { bootstrapPolicy, type PolicyObject } from './policy.ts';

type Choice = Pick<Settings, 'aggregateRoles'>;

interface Parts {
  readonly registries: Registries;
  readonly catalog: Catalog;
  readonly trackOwn: TrackOwn;
}

/**
 * Creates the default roles and bindings, and adds missing rules and subjects to existing ones, unless an administrator has opted out by the
 * annotation. What administrators added stays, except that a binding to another role is made anew. Written straight through the registries: a hundred
 * ordinary requests would be most of the time a start takes.
 * @spec 2.15
 */
export async function makeBootstrapPolicy({ registries, catalog, trackOwn }: Parts, settings: Choice): Promise<void> {
  const { brand } = catalog;
  const wanted = bootstrapPolicy(brand, settings.aggregateRoles ? 'whole' : 'empty');
  await Promise.all(
    POLICY_KINDS.map(async (kind) => {
      const resource = catalog.findKind(brand.group('rbac'), kind);
      const objects = wanted.filter((object) => object.kind === kind);
      if (resource !== undefined) await makeAll(registries.of(resource), objects, trackOwn);
    }),
  );
}

async function makeAll(registry: Registry, objects: readonly PolicyObject[], trackOwn: TrackOwn): Promise<void> {
  const { items } = await list(registry, { namespace: '', freshness: 'latest' });
  const standing = new Map(items.map(({ object }) => [keyOf(object), object]));
  await Promise.all(
    objects.map((object) => {
      const live = standing.get(keyOf(object));
      return makeOne(registry, live === undefined ? succeeding(object, standing) : object, live, trackOwn);
    }),
  );
}

/** The object with the subjects of its predecessor, where there is one. */
function succeeding(object: PolicyObject, standing: ReadonlyMap<string, PolicyObject>): PolicyObject {
  const name = object.kind === 'ClusterRoleBinding' ? PREDECESSORS.get(object.metadata.name ?? '') : undefined;
  const before = name === undefined ? undefined : standing.get(`/${name}`);
  if (before === undefined) return object;
  const { labels = {}, annotations = {} } = before.metadata;
  return completed({ ...object, metadata: { ...object.metadata, labels, annotations }, subjects: before.subjects ?? [] }, object);
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): string => `${namespace}/${name}`;

async function makeOne(registry: Registry, object: PolicyObject, standing: PolicyObject | undefined, trackOwn: TrackOwn): Promise<void> {
  if (standing !== undefined && isLeftAlone(standing, object)) return;
  const { namespace = '', name = '' } = object.metadata;
  const key: ObjectKey = { namespace, name };
  const isReplaced = standing !== undefined && refersElsewhere(standing, object) && (await isGone(registry, key, standing));
  const live = isReplaced ? undefined : standing;
  const owned = (next: ApiObject, now: ApiObject | undefined): ApiObject => trackOwn(registry.resource, next, now, '');
  if (live === undefined ? await isMade(registry, owned(cloneJson(object), undefined)) : isDeepEqual(completed(live, object), live)) return;
  await update(registry, key, async (now) => owned(completed(now ?? object, object), now), OWN_WRITE);
}

/** Whether this call removed the object: another server that starts on the same store at this moment may have been first, or a finalizer holds it. */
async function isGone(registry: Registry, key: ObjectKey, { metadata: { uid = '' } }: ApiObject): Promise<boolean> {
  try {
    return (await remove(registry, key, { uid }, OWN_WRITE)).did === 'remove';
  } catch (cause) {
    if (isRefusal(cause, 'NotFound') || isRefusal(cause, 'Conflict')) return false;
    throw cause;
  }
}

/** A binding to another role is an administrator's: default subjects must not get that role. */
const completed = (live: PolicyObject, wanted: PolicyObject): PolicyObject =>
  isLeftAlone(live, wanted) || refersElsewhere(live, wanted) ? live : completePolicy(live, wanted);

/** Whether this call created the object: another server that starts on the same store at this moment may have been first. */
async function isMade(registry: Registry, object: ApiObject): Promise<boolean> {
  try {
    await create(registry, object, OWN_WRITE);
    return true;
  } catch (cause) {
    if (isRefusal(cause, 'AlreadyExists')) return false;
    throw cause;
  }
}
