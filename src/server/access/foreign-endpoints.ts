import type { AdmissionHooks, AdmissionRequest } from '#admission';
import { accountsGroup, CONTROLLER_MANAGER_USER, groupResourceOf, type ApiObject, type Brand, type ObjectAccess } from '#api';
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
 * Refuses endpoints that lead to pods of other namespaces: services, ingresses and load balancers send traffic wherever endpoints point, past the
 * network policies between namespaces. Exempt are system controllers and users that may `create` `endpoints/restricted`. Addresses that the object
 * had before may stay. An address that a foreign pod gets later is not detected.
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
      throw forbidden(groupResourceOf(request.resource), request.name || (request.object?.metadata.name ?? ''), why);
    },
  };
}

/** A target of an endpoint: an address, and the namespace of the pod in `targetRef`, where there is one. */
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

async function isFree({ brand, authorizer }: Surroundings, request: Readonly<AdmissionRequest>): Promise<boolean> {
  const { name, groups } = request.user;
  if (name === CONTROLLER_MANAGER_USER || groups.includes(accountsGroup(brand.names.systemNamespace))) return true;
  return isFreedBy(['endpoints', 'restricted'], authorizer, request);
}

/** Describes the first target outside the namespace; undefined: there is none. */
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

/** Pods on the host network share its address; pods that have ended have released theirs. */
const hasOwnAddress = ({ spec, status }: Pod): boolean => spec.hostNetwork !== true && status.phase !== 'Succeeded' && status.phase !== 'Failed';

const addressesOf = ({ status }: Pod): readonly string[] => [status.podIP ?? '', ...(status.podIPs ?? []).map(({ ip }) => ip ?? '')].filter((ip) => ip !== '');
