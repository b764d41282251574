import { isDeepEqual } from '#base';
import { parseApiVersion, type ApiObject, type OwnerReference, type Resource } from '#api';
import type { Question } from '#request';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

/**
 * Owner references decide when an object is deleted, so changing them requires the permission to delete the object; and a reference that blocks the
 * deletion of the owner requires the permission to set the owner's finalizers.
 * @spec 4.11
 */
export const ownerReferencesPermissionEnforcement = definePlugin({
  name: 'OwnerReferencesPermissionEnforcement',
  enabled: false,
  band: 'builtin',
  after: ['StorageObjectInUseProtection'],
  create: (env) => ({
    on: ['CREATE', 'UPDATE'],
    async validate(request) {
      const { resource, subresource, object, live } = request;
      // Nodes report the status of their pods, and may not delete them.
      if (object === undefined || (resource.group === '' && resource.plural === 'pods' && subresource === 'status')) return;
      if (isDeepEqual(ownersOf(object), ownersOf(live))) return;
      // The creator of an object need not be able to delete it.
      if (request.operation !== 'CREATE') await requireDelete(env, request);
      for (const owner of newBlocking(object, live)) await requireFinalizers(env, request, owner);
    },
  }),
});

const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? [];

/** Owners whose deletion this request newly blocks. */
function newBlocking(next: ApiObject, live: ApiObject | undefined): readonly OwnerReference[] {
  const before = new Set(ownersOf(live).filter(isBlocking).map(({ uid }) => uid));
  return ownersOf(next).filter((owner) => isBlocking(owner) && !before.has(owner.uid));
}

const isBlocking = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;

async function requireDelete(env: AdmissionEnv, request: AdmissionRequest): Promise<void> {
  const { resource, served, subresource, namespace, name } = request;
  const place = { group: resource.group, version: served.version, resource: resource.plural, subresource, namespace, name };
  const { verdict, reason } = await ask(env, request, 'delete', place);
  if (verdict !== 'allow') throw refuse(request, `cannot set an ownerRef on a resource you can't delete: ${reason}`);
}

async function requireFinalizers(env: AdmissionEnv, request: AdmissionRequest, owner: OwnerReference): Promise<void> {
  const found = findOwner(env, owner);
  if (found === undefined) {
    const what = `APIVersion ${owner.apiVersion} Kind ${owner.kind}`;
    throw refuse(request, `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ${what}: no such kind is served`);
  }
  const namespace = found.resource.kind.scope === 'Cluster' ? '' : request.namespace;
  const place = { group: found.resource.group, version: found.version, resource: found.resource.plural, subresource: 'finalizers', namespace, name: owner.name };
  const { verdict, reason } = await ask(env, request, 'update', place);
  if (verdict === 'allow') return;
  throw refuse(request, `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}`);
}

function findOwner({ catalog }: AdmissionEnv, { apiVersion, kind }: OwnerReference): { readonly resource: Resource; readonly version: string } | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const resource = catalog.findKind(group, kind);
  return resource === undefined ? undefined : { resource, version };
}

type Place = Pick<Question, 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

async function ask({ authorizer }: AdmissionEnv, { user, signal }: AdmissionRequest, verb: string, place: Place) {
  const question: Question = { ...place, user, verb, isResourceRequest: true, path: '', apiPrefix: place.group === '' ? 'api' : 'apis', parts: [] };
  return authorizer.authorize(question, signal);
}
