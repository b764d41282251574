import type { AdmissionHooks, AdmissionRequest } from '#admission';
import type { ApiObject, Brand, ObjectAccess } from '#api';
import { forbidden } from '#errors';
import type { EndpointSlice, Endpoints, Pod } from '#kinds';
import type { Authorizer } from '#request';
import { isFreedBy } from './freed-by-permission.ts';

interface Surroundings {
  readonly brand: Brand;
  readonly objects: ObjectAccess;
  readonly authorizer: Authorizer;
}

/**
 * Endpoints written by hand do not lead to pods of other namespaces: a service, an ingress and a load balancer go where endpoints say, past the
 * rules between namespaces. Free to write what they like are controllers of the system, and whoever may `create` `endpoints/restricted`.
 * Addresses that were there before may stay. Pods that get an address later are not foreseen.
 */
export function foreignEndpointsHooks(surroundings: Surroundings): AdmissionHooks {
  return {
    on: ['CREATE', 'UPDATE'],
    kinds: ['/endpoints', 'discovery/endpointslices'],
    async validate(request) {
      const added = targetsAdded(request);
      if (added.length === 0 || (await isFree(surroundings, request))) return;
      const foreign = await foreignAmong(surroundings.objects, added, request.namespace);
      if (foreign === undefined) return;
      const why = `${foreign} belongs to a pod of another namespace; who may create endpoints/restricted may lead there`;
      throw forbidden({ group: request.resource.group, resource: request.resource.plural }, request.name || (request.object?.metadata.name ?? ''), why);
    },
  };
}

/** Somewhere that traffic would go: an address, and the namespace of the pod it is said to be, where that is said. */
interface Target {
  readonly address: string;
  readonly namespace: string | undefined;
}

function targetsAdded({ object, live }: Readonly<AdmissionRequest>): readonly Target[] {
  const before = new Set(targetsOf(live).map(textOf));
  return targetsOf(object).filter((target) => !before.has(textOf(target)));
}

const textOf = ({ address, namespace = '' }: Target): string => `${namespace}/${address}`;

function targetsOf(object: ApiObject | undefined): readonly Target[] {
  const { subsets, endpoints } = (object ?? {}) as Partial<Endpoints & EndpointSlice>;
  const written = (subsets ?? []).flatMap(({ addresses, notReadyAddresses }) => [...(addresses ?? []), ...(notReadyAddresses ?? [])]);
  return [
    ...written.map(({ ip, targetRef }) => ({ address: ip, namespace: targetRef?.namespace || undefined })),
    ...(endpoints ?? []).flatMap(({ addresses, targetRef }) => (addresses ?? []).map((address) => ({ address, namespace: targetRef?.namespace || undefined }))),
  ];
}

const CONTROLLER_MANAGER = 'system:kube-controller-manager';

async function isFree({ brand, authorizer }: Surroundings, request: Readonly<AdmissionRequest>): Promise<boolean> {
  const { name, groups } = request.user;
  if (name === CONTROLLER_MANAGER || groups.includes(`system:serviceaccounts:${brand.names.systemNamespace}`)) return true;
  return isFreedBy(['endpoints', 'restricted'], authorizer, request);
}

/** The first that leads elsewhere. */
async function foreignAmong(objects: ObjectAccess, targets: readonly Target[], namespace: string): Promise<string | undefined> {
  const named = targets.find((target) => target.namespace !== undefined && target.namespace !== namespace);
  if (named !== undefined) return named.address;
  const foreign = new Set<string>();
  const own = new Set<string>();
  for (const pod of (await objects.list({ group: '', kind: 'Pod' }, '')) as readonly Pod[]) {
    if (!hasOwnAddress(pod)) continue;
    const addresses = pod.metadata.namespace === namespace ? own : foreign;
    for (const address of addressesOf(pod)) addresses.add(address);
  }
  return targets.find(({ address }) => foreign.has(address) && !own.has(address))?.address;
}

/** Pods on the network of their node share its address with others; those that have ended have given theirs back. */
const hasOwnAddress = ({ spec, status }: Pod): boolean => spec.hostNetwork !== true && status.phase !== 'Succeeded' && status.phase !== 'Failed';

const addressesOf = ({ status }: Pod): readonly string[] => [status.podIP ?? '', ...(status.podIPs ?? []).map(({ ip }) => ip ?? '')].filter((ip) => ip !== '');
