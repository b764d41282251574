import { createHash } from 'node:crypto';
import { isDeepEqual } from '#base';
import { isIpv4, parseIp, type Brand, type ObjectKey } from '#api';
import { formatKey, isRefusal, keyOf, source, startController, type Controller, type ControllerEnv, type Draft, type Running } from '#client';
import { Endpoints, EndpointSlice, Service } from '#kinds';
import type { ServerControllerEnv } from './environment.ts';
import { followOnly } from './follow-only.ts';
import { isTooLate } from './service-accounts.ts';
import { warn } from './warn.ts';

const BY_SERVICE = 'service';
/** Endpoints per slice, that is per IP family and list of ports, and per subset; further ones are left out, and an event of the Endpoints says so. */
const MAX_ENDPOINTS = 1000;
const COMPONENT = 'endpoint-slice-mirroring-controller';
const MAX_NAME = 253;

/** Mirrors Endpoints of services without a selector, which users maintain, to EndpointSlices. */
export function startEndpointSliceMirroring(env: ServerControllerEnv): Running {
  const { brand } = env.client;
  return startController(mirroringWith(new Omissions()), followOnly(env, EndpointSlice, { labelSelector: `${label(brand, 'managed-by')}=${owner(brand)}` }));
}

const label = ({ names }: Brand, word: string): string => `${names.endpointSliceDomain}/${word}`;
const owner = ({ names }: Brand): string => `endpointslicemirroring-controller.${names.shortDomain}`;

const mirroringWith = (omissions: Omissions): Controller<Endpoints> => ({
  name: 'endpointslicemirroring',
  watches: Endpoints,
  also: [source(Service, (service) => [keyOf(service)]), source(EndpointSlice, (slice, { client }) => [serviceOf(slice, client.brand)])],
  prepare: ({ inform, client }) =>
    inform(EndpointSlice).addIndex(BY_SERVICE, (slice) => [formatKey(serviceOf(slice, client.brand))]),
  async reconcile(key, env) {
    const { client, inform } = env;
    const endpoints = inform(Endpoints).get(key);
    const isWanted = endpoints !== undefined && isMirrored(endpoints, inform(Service).get(key), client.brand);
    const { slices: wanted, omitted } = isWanted ? slicesOf(endpoints, client.brand) : NOTHING;
    const live = new Map(inform(EndpointSlice).by(BY_SERVICE, formatKey(key)).map((slice) => [slice.metadata.name, slice]));
    for (const slice of wanted) {
      const known = live.get(slice.metadata.name);
      live.delete(slice.metadata.name);
      // What Endpoints that are being deleted showed before goes with them; nothing more is made for them.
      if (known !== undefined || !endpoints?.metadata.deletionTimestamp) await keep(slice, known, env);
    }
    for (const slice of live.values()) await remove(slice, env);
    await omissions.tell(key, endpoints, omitted, env);
    return undefined;
  },
});

/** Tells of endpoints that are left out: once for each number of them, and not again with every other change. */
class Omissions {
  /** By the name of the Endpoints. */
  readonly #told = new Map<string, string>();

  async tell(key: ObjectKey, endpoints: Endpoints | undefined, omitted: number, env: ControllerEnv): Promise<void> {
    const word = formatKey(key);
    if (endpoints === undefined || omitted === 0) {
      this.#told.delete(word);
      return;
    }
    const { uid = '' } = endpoints.metadata;
    if (this.#told.get(word) === `${uid} ${omitted}`) return;
    const message = `A max of ${MAX_ENDPOINTS} addresses can be mirrored to EndpointSlices per Endpoints subset. ${omitted} addresses were skipped`;
    await warn(env, { resource: { group: '', version: 'v1', kind: 'Endpoints' }, ...key, uid }, { component: COMPONENT, reason: 'TooManyAddressesToMirror', message });
    this.#told.set(word, `${uid} ${omitted}`);
  }
}

const serviceOf = ({ metadata }: EndpointSlice, { names }: Brand): ObjectKey => ({
  namespace: metadata.namespace ?? '',
  name: metadata.labels?.[names.serviceNameLabel] ?? '',
});

function isMirrored({ metadata }: Endpoints, service: Service | undefined, brand: Brand): boolean {
  // One that is being deleted has its clients as long as it is there, which may be until its load balancer has gone.
  if (service === undefined) return false;
  const isByHand = Object.keys(service.spec.selector ?? {}).length === 0;
  const isLock = metadata.annotations?.[`control-plane.alpha.${brand.names.domain}/leader`] !== undefined;
  return isByHand && !isLock && metadata.labels?.[label(brand, 'skip-mirror')] !== 'true';
}

type Slice = Draft<EndpointSlice> & Pick<EndpointSlice, 'endpoints' | 'ports' | 'addressType'>;

async function keep(wanted: Slice, live: EndpointSlice | undefined, env: ControllerEnv): Promise<void> {
  const slices = env.client.of(EndpointSlice);
  const { labels = {}, annotations = {}, ownerReferences = [] } = wanted.metadata;
  const shown = [live?.metadata.labels, live?.metadata.annotations ?? {}, live?.endpoints ?? [], live?.ports ?? []];
  // Endpoints that were made again own what was made for those before: the slice would go with them.
  const isSame = isDeepEqual([labels, annotations, wanted.endpoints, wanted.ports], shown) && live !== undefined && ownerUidOf(live) === ownerUidOf(wanted);
  try {
    if (live === undefined) await slices.create(wanted);
    else if (!isSame) await slices.update({ ...live, metadata: { ...live.metadata, labels, annotations, ownerReferences }, endpoints: wanted.endpoints, ports: wanted.ports });
  } catch (cause) {
    if (!isTooLate(cause)) throw cause;
    if (live !== undefined || !isRefusal(cause, 'AlreadyExists')) return;
    // Not followed (yet), or no longer: somebody has changed the label by which it is.
    const { namespace = '', name = '' } = wanted.metadata;
    const there = await slices.find({ namespace, name });
    if (there !== undefined && ownerUidOf(there) === ownerUidOf(wanted)) await keep(wanted, there, env);
  }
}

const ownerUidOf = ({ metadata }: Draft<EndpointSlice>): string | undefined => metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

async function remove(slice: EndpointSlice, { client }: ControllerEnv): Promise<void> {
  const { uid = '' } = slice.metadata;
  try {
    await client.of(EndpointSlice).delete(keyOf(slice), { uid });
  } catch (cause) {
    if (!isRefusal(cause, 'NotFound')) throw cause;
  }
}

type Subset = NonNullable<Endpoints['subsets']>[number];
type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];
type Port = NonNullable<EndpointSlice['ports']>[number];

interface Mirrored {
  readonly slices: readonly Slice[];
  /** How many endpoints are in none of them. */
  readonly omitted: number;
}

const NOTHING: Mirrored = { slices: [], omitted: 0 };

/**
 * One slice for each IP family and list of ports, in whatever order; its name is derived from them, so that none is created twice. Of endpoints that are
 * named repeatedly the last counts.
 */
function slicesOf(endpoints: Endpoints, brand: Brand): Mirrored {
  const found = new Map<string, { readonly addressType: string; readonly ports: Port[]; readonly shown: Map<string, Endpoint> }>();
  let omitted = 0;
  for (const subset of endpoints.subsets ?? []) {
    const ports = portsOf(subset);
    const all = endpointsOf(subset);
    omitted += Math.max(0, all.length - MAX_ENDPOINTS);
    for (const endpoint of all.slice(0, MAX_ENDPOINTS)) {
      const addressType = isIpv4(parseIp(endpoint.addresses?.[0] ?? '') ?? []) ? 'IPv4' : 'IPv6';
      const word = JSON.stringify([addressType, ports]);
      const slice = found.get(word) ?? { addressType, ports, shown: new Map<string, Endpoint>() };
      found.set(word, slice);
      const { addresses, targetRef } = endpoint;
      const place = JSON.stringify([addresses, targetRef?.namespace, targetRef?.name]);
      if (slice.shown.size < MAX_ENDPOINTS || slice.shown.has(place)) slice.shown.set(place, endpoint);
      else omitted++;
    }
  }
  const slices = [...found].map(([word, { addressType, ports, shown }]) => ({ addressType, ports, endpoints: [...shown.values()], metadata: metadataOf(endpoints, word, brand) }));
  return { slices, omitted };
}

function metadataOf({ metadata }: Endpoints, word: string, brand: Brand): Slice['metadata'] {
  const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = metadata;
  const ofEndpointsAlone = [`endpoints.${brand.names.domain}/last-change-trigger-time`, brand.names.lastAppliedAnnotation];
  const suffix = `-${createHash('sha256').update(word).digest('hex').slice(0, 10)}`;
  return {
    namespace,
    name: `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`,
    labels: { ...labels, [brand.names.serviceNameLabel]: name, [label(brand, 'managed-by')]: owner(brand) },
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !ofEndpointsAlone.includes(key))),
    ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true }],
  };
}

const portsOf = ({ ports = [] }: Subset): Port[] =>
  ports
    .map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }))
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

function endpointsOf({ addresses = [], notReadyAddresses = [] }: Subset): readonly Endpoint[] {
  const all = [...addresses.map((address) => [address, true] as const), ...notReadyAddresses.map((address) => [address, false] as const)];
  return all.map(([{ ip, hostname, nodeName, targetRef }, ready]) => ({
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  }));
}
