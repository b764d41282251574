import { isDeepEqual, isTurnLong, nextTurn } from '#base';
import { parseApiVersion, type ApiObject, type OwnerReference, type Resource } from '#api';
import type { Answer, Question } from '#request';
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
      const owners = newBlocking(object, live);
      if (owners.length === 0 || (await maySetAnyFinalizers(env, request))) return;
      for (const owner of owners) {
        // There may be very many: others get on meanwhile.
        if (isTurnLong()) await nextTurn(request.signal);
        await requireFinalizers(env, request, owner);
      }
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
  const answer = await ask(env, request, 'delete', place);
  if (answer.verdict !== 'allow') throw refuse(request, `cannot set an ownerRef on a resource you can't delete: ${whyNot(answer)}`);
}

/** Whoever may do so needs no permission for one owner, whether its kind is served or not. */
async function maySetAnyFinalizers(env: AdmissionEnv, request: AdmissionRequest): Promise<boolean> {
  const anything = { group: '*', version: '*', resource: '*', subresource: 'finalizers', namespace: '', name: '*' };
  return (await ask(env, request, 'update', anything)).verdict === 'allow';
}

async function requireFinalizers(env: AdmissionEnv, request: AdmissionRequest, owner: OwnerReference): Promise<void> {
  const found = findOwner(env, owner);
  if (found === undefined) {
    const what = `APIVersion ${owner.apiVersion} Kind ${owner.kind}`;
    const why = `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`;
    throw refuse(request, `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ${what}: ${why}`);
  }
  const namespace = found.resource.kind.scope === 'Cluster' ? '' : request.namespace;
  const place = { group: found.resource.group, version: found.version, resource: found.resource.plural, subresource: 'finalizers', namespace, name: owner.name };
  const answer = await ask(env, request, 'update', place);
  if (answer.verdict === 'allow') return;
  throw refuse(request, `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${whyNot(answer)}`);
}

function findOwner({ catalog }: AdmissionEnv, { apiVersion, kind }: OwnerReference): { readonly resource: Resource; readonly version: string } | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const resource = catalog.findKind(group, kind);
  return resource?.versions.some((served) => served.version === version) === true ? { resource, version } : undefined;
}

const whyNot = ({ reason, failure = '<nil>' }: Answer): string => `${reason}, ${failure}`;

type Place = Pick<Question, 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

async function ask({ authorizer }: AdmissionEnv, { user, signal }: AdmissionRequest, verb: string, place: Place): Promise<Answer> {
  const question: Question = { ...place, user, verb, isResourceRequest: true, path: '', apiPrefix: place.group === '' ? 'api' : 'apis', parts: [] };
  return authorizer.authorize(question, signal);
}
