import { failureText, seldom, type Clock, type Log } from '#base';
import type { Brand } from '#api';
import type { Loopback } from '../loopback.ts';
import type { ServingLeases } from './serving-leases.ts';

export interface DefaultServiceOptions {
  readonly loopback: Loopback;
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
  /** The address of the service in the cluster. */
  readonly clusterIp: string;
  /** The address and port of this server; absent: only the Service exists, without endpoints of this server. */
  readonly address?: { readonly ip: string; readonly port: number };
  /** Leases of all servers on the store; absent: this is the only one. */
  readonly leases?: ServingLeases;
}

type Json = Readonly<Record<string, unknown>>;
type Labels = Readonly<Record<string, string>>;
type Kept = Json & { readonly metadata: { readonly name: string; readonly labels?: Labels } };

const EVERY_MS = 10_000;
const HTTPS_PORT = 443;
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';

/**
 * Maintains the Service of the API in the namespace `default`, with the running servers as Endpoints and EndpointSlice. Changes of the addresses and
 * labels by others are reset within seconds; other additions to the objects stay. The port is that of the server that started last.
 */
export class DefaultService {
  readonly #options: DefaultServiceOptions;
  readonly #isDue: (text: string) => boolean;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  /** Whether the port of this server has been written once. */
  #isPortKnown = false;
  /** The round in progress. Never rejects. */
  #round: Promise<void> = Promise.resolve();

  constructor(options: DefaultServiceOptions) {
    this.#options = options;
    this.#isDue = seldom(options.clock);
  }

  /** Resolves when the objects exist; maintains them until `stop`. */
  async start(): Promise<void> {
    await this.#attempt();
    this.#later();
  }

  /** Removes this server from the endpoints, unless it is the last one. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    // Otherwise it might renew the lease that is given up here.
    await this.#round;
    const { address, leases } = this.#options;
    if (address === undefined || leases === undefined) return;
    try {
      await leases.giveUp(address.ip);
      await this.#publish(await leases.serving());
    } catch {
      // The other servers notice when the lease expires.
    }
  }

  #later(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(EVERY_MS, () => {
      this.#round = this.#attempt().then(() => this.#later());
    });
  }

  /** A failure is logged, and the next round tries again. */
  async #attempt(): Promise<void> {
    const { address, leases, log } = this.#options;
    try {
      await this.#keep('/api/v1/namespaces/default/services', this.#service(), 'made');
      if (address === undefined) return;
      await leases?.renew(address.ip);
      await this.#publish(leases === undefined ? [address.ip] : await leases.serving());
    } catch (cause) {
      const error = failureText(cause);
      if (this.#isDue(error)) log.warn('the service of the API could not be kept', { error });
    }
  }

  /** As in kube-apiserver, the last servers stay where nobody is alive: whoever comes next takes their place. */
  async #publish(ips: readonly string[]): Promise<void> {
    if (ips.length === 0) return;
    const { brand, address } = this.#options;
    const own = address?.port ?? HTTPS_PORT;
    // All servers stand behind one port: each that came back to its own would take it from those with another one, in turn and for ever.
    const port = this.#isPortKnown ? ((await this.#publishedPort()) ?? own) : own;
    const { endpoints, slice } = this.#behind([...ips].sort(), port);
    await this.#keep(ENDPOINTS, endpoints, ['subsets']);
    const slices = `/apis/${brand.group('discovery')}/v1/namespaces/default/endpointslices`;
    await this.#keep(slices, slice, ['endpoints', 'ports']);
    this.#isPortKnown = true;
  }

  /** The port of the endpoints as they are; undefined where they are missing or malformed. */
  async #publishedPort(): Promise<number | undefined> {
    const { body } = await this.#ask('GET', `${ENDPOINTS}/${this.#options.brand.names.apiService}`);
    const subsets = (body['subsets'] ?? []) as readonly { readonly ports?: readonly { readonly port: number }[] }[];
    return subsets.length === 1 ? subsets[0]?.ports?.[0]?.port : undefined;
  }

  /** Creates the object where it is missing; resets its labels and `members` where they differ, unless it is enough that it was `made`. */
  async #keep(collection: string, wanted: Kept, members: readonly string[] | 'made'): Promise<void> {
    const path = `${collection}/${wanted.metadata.name}`;
    const found = await this.#ask('GET', path);
    if (found.status === 404) return this.#make(collection, wanted);
    if (found.status !== 200) return this.#done(found, 'read', path);
    const live = found.body as Kept;
    if (wanted['addressType'] !== live['addressType']) {
      // No update changes it, and the slice of another family holds nobody who is there.
      this.#done(await this.#ask('DELETE', path), 'remove', path);
      return this.#make(collection, wanted);
    }
    if (members === 'made' || !isOther(wanted, live, members)) return;
    const metadata = { ...live.metadata, labels: { ...live.metadata.labels, ...wanted.metadata.labels } };
    this.#done(await this.#ask('PUT', path, { ...live, ...wanted, metadata }), 'change', path);
  }

  /** Another server may make it in the same moment, and its address is taken then: the next round compares again. */
  async #make(collection: string, wanted: Kept): Promise<void> {
    const path = `${collection}/${wanted.metadata.name}`;
    const made = await this.#ask('POST', collection, wanted);
    if (made.status < 400 || (await this.#ask('GET', path)).status === 200) return;
    this.#done(made, 'make', path);
  }

  #done({ status, body }: { readonly status: number; readonly body: Json }, what: string, path: string): void {
    // Another server may have changed it first; the next round compares again.
    if (status >= 400 && status !== 409) throw new Error(`cannot ${what} ${path}: ${String(body['message'])}`);
  }

  async #ask(method: string, path: string, object?: object): Promise<{ readonly status: number; readonly body: Json }> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await this.#options.loopback({ method, path, headers, ...(object === undefined ? {} : { body: JSON.stringify(object) }) });
    return { status: answer.status, body: 'body' in answer ? (JSON.parse(new TextDecoder().decode(answer.body)) as Json) : {} };
  }

  #service() {
    const { brand, clusterIp, address } = this.#options;
    const name = brand.names.apiService;
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels: { component: 'apiserver', provider: name } },
      spec: {
        type: 'ClusterIP',
        clusterIP: clusterIp,
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        ports: [{ name: 'https', protocol: 'TCP', port: HTTPS_PORT, targetPort: address?.port ?? HTTPS_PORT }],
      },
    };
  }

  #behind(ips: readonly string[], port: number) {
    const { brand } = this.#options;
    const name = brand.names.apiService;
    const label = (key: string): string => `${brand.names.endpointSliceDomain}/${key}`;
    const subsets = [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'https', port, protocol: 'TCP' }] }];
    return {
      endpoints: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, labels: { [label('skip-mirror')]: 'true' } }, subsets },
      slice: {
        apiVersion: `${brand.group('discovery')}/v1`,
        kind: 'EndpointSlice',
        metadata: { name, labels: { [brand.names.serviceNameLabel]: name } },
        addressType: ips[0]?.includes(':') === true ? 'IPv6' : 'IPv4',
        endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
        ports: [{ name: 'https', protocol: 'TCP', port }],
      },
    };
  }
}

/** Whether one of `members` differs, or a label of `wanted` is missing. */
function isOther(wanted: Kept, live: Kept, members: readonly string[]): boolean {
  const labels = Object.entries(wanted.metadata.labels ?? {});
  return members.some((member) => JSON.stringify(wanted[member]) !== JSON.stringify(live[member])) || labels.some(([label, value]) => live.metadata.labels?.[label] !== value);
}
