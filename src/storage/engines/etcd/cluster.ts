import { clearTimeout, setTimeout } from '#base';
import {
  Client,
  connectivityState,
  Metadata,
  status,
  type ClientDuplexStream,
  type ClientOptions,
  type ClientUnaryCall,
  type ServiceError,
} from '@grpc/grpc-js';
import { closedFailure, StorageFailure, type EngineOptions, type Revision } from '../../engine.ts';
import { Continuity, ForeignMember, type ResponseHeader } from './continuity.ts';
import { failureOf, callFailureOf } from './failures.ts';
import { boundHandshakes } from './handshakes.ts';
import { CALL_MS, CONNECT_MS, KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS, MEMBER_MS, RETRY_MS } from './limits.ts';
import type { Location } from './location.ts';
import { decodeWatch, encodeWatch, type WatchResponse, type WatchRequest } from './messages.ts';
import { range, WATCH_PATH, type Method } from './methods.ts';
import { isAsTold, type ToldChange } from './told-change.ts';
import { TroubleLog } from './trouble-log.ts';
import { CurrentTrust, noTls, type Trust } from './trust.ts';

const OPTIONS: ClientOptions = {
  'grpc.keepalive_time_ms': KEEPALIVE_MS,
  'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
  'grpc.initial_reconnect_backoff_ms': RETRY_MS,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // Connections to the store ignore the environment variables that set a proxy.
  'grpc.enable_http_proxy': 0,
  // Nor do they ask the DNS for settings: a policy found there could have a write sent twice.
  'grpc.service_config_disable_resolution': 1,
  // The address behind a name may be an old one for a moment after its member has moved.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // Otherwise engines of one process would share connections, and with them the time limits of their handshakes.
  'grpc.use_local_subchannel_pool': 1,
};

export type WatchStream = ClientDuplexStream<WatchRequest, WatchResponse>;

/** One question to several members. */
interface Race {
  readonly calls: ClientUnaryCall[];
  /** One of them has answered. */
  isOver: boolean;
}

/** A client of an etcd cluster: calls go to one member until it fails, then to the next. */
export class Cluster {
  readonly #members: readonly string[];
  readonly #clients: readonly Client[];
  readonly #continuity: Continuity;
  readonly #log: EngineOptions['log'];
  readonly #trouble: TroubleLog;
  /** Members whose last response came from another cluster. */
  readonly #foreign = new Set<Client>();
  /** The calls in progress that end when this is closed. */
  readonly #endable = new Set<ClientUnaryCall>();
  #current = 0;
  #closed = false;
  /** Called when the content of etcd no longer continues what this process has seen of it: another cluster, or lost revisions. */
  broken: (why: StorageFailure) => void = () => {};

  constructor({ members, tls }: Location, { log, clock }: Pick<EngineOptions, 'log' | 'clock'>) {
    this.#members = members;
    this.#log = log;
    this.#trouble = new TroubleLog({ log, clock });
    this.#continuity = new Continuity((why) => {
      log('etcd is not the store any more that it was', { cause: why.message });
      this.broken(why);
    });
    const trust = tls === undefined ? undefined : new CurrentTrust(tls);
    this.#clients = members.map((member) => clientOf(member, trust?.of(member) ?? noTls()));
  }

  /**
   * A call without effect, retried on other members too, until it is answered or its deadline is over. `deadlineMs` is a time of `performance.now`.
   * Throws gRPC's errors and `StorageFailure`.
   */
  read<Q, R>(method: Method<Q, R>, request: Q, deadlineMs = deadlineFromNow()): Promise<R> {
    return this.#reporting(this.#read(method, request, deadlineMs));
  }

  /** A call that changes etcd: sent once, over an open connection, and not after its deadline. If it fails, its outcome is unknown. Throws as `read`. */
  write<Q, R>(method: Method<Q, R>, request: Q, deadlineMs = deadlineFromNow()): Promise<R> {
    return this.#reporting(this.#write(method, request, deadlineMs));
  }

  /** The newest revision that any response has shown. */
  get newest(): Revision {
    return this.#continuity.newest;
  }

  /** Asks for the newest revision, to detect a store that does not continue what was seen. Resolves, even when the call fails. */
  async checkNewest(): Promise<void> {
    await this.read(range, { key: NO_KEY, countOnly: true }).catch(() => {});
  }

  /**
   * Finds out whether etcd still has a change that it told, and gives the store up where it does not. One that was put back to a backup shows in revisions
   * that go back, unless others have written meanwhile, past all that this process has seen. Rejects as `read`.
   */
  async checkTold({ key, states }: ToldChange): Promise<void> {
    for (const state of states) {
      const { entries } = await this.read(range, { key, revision: state.at, limit: 1 });
      if (!isAsTold(state, entries[0])) throw this.#continuity.break(`etcd: at revision ${state.at} it does not have what it told before: it was put back to a backup`);
    }
  }

  /**
   * A stream of watch responses from the current member. It fails when that member loses contact with the other members. `report` logs why etcd has
   * ended a watch by itself, or does not open one. Throws `StorageFailure` once the cluster was closed.
   */
  openWatch(): { readonly stream: WatchStream; readonly avoid: () => void; readonly check: (response: ResponseHeader) => void; readonly report: (why: StorageFailure) => void } {
    if (this.#closed) throw closedFailure();
    const client = this.#clients[this.#current] as Client;
    const metadata = new Metadata({ waitForReady: false });
    metadata.set('hasleader', 'true');
    const stream = client.makeBidiStreamRequest(WATCH_PATH, encodeWatch, decodeWatch, metadata);
    const report = (why: StorageFailure): void => this.#log('etcd has ended a watch, which is opened again and again', { cause: why.message });
    return { stream, avoid: () => this.#avoid(client), check: (response) => this.#checkWatch(client, response), report };
  }

  /** Ends the calls without whose answers nothing is lost; others go on until they are answered, or their deadlines are over. */
  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.close();
    for (const call of this.#endable) call.cancel();
  }

  /**
   * A member that has not answered for a while may be cut off, or as slow as all others are: the next one is asked too, and the first answer counts.
   * `race`: what is asked of which.
   */
  async #read<Q, R>(method: Method<Q, R>, request: Q, deadlineMs: number, race: Race = { calls: [], isOver: false }): Promise<R> {
    for (;;) {
      const client = await this.#connected(deadlineMs);
      if (race.isOver) throw new StorageFailure('unavailable', 'another member has answered');
      const answer = this.#call(client, method, request, deadlineMs, race.calls);
      try {
        if (this.#members.length === 1 || (await settlesWithin(answer, MEMBER_MS))) return await answer;
        this.#avoid(client);
        const first = await firstAnswer(answer, this.#read(method, request, deadlineMs, race));
        race.isOver = true;
        for (const call of race.calls) call.cancel();
        return first;
      } catch (error) {
        if (race.isOver || callFailureOf(error) !== 'member') throw error;
        this.#avoid(client);
        if (this.#closed || performance.now() + RETRY_MS > deadlineMs) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  async #write<Q, R>(method: Method<Q, R>, request: Q, deadlineMs: number): Promise<R> {
    const client = await this.#connected(deadlineMs);
    try {
      return await this.#call(client, method, request, deadlineMs);
    } catch (error) {
      if (callFailureOf(error) === 'member') this.#avoid(client);
      throw error;
    }
  }

  /** Logs why a call fails. While a server starts, the start says it; when the store is given up or closed, that was said. */
  #reporting<R>(call: Promise<R>): Promise<R> {
    call.catch((error: unknown) => {
      if (!this.#closed && this.#continuity.broken === undefined && this.newest > 0) this.#trouble.failed(error);
    });
    return call;
  }

  async #connected(deadlineMs: number): Promise<Client> {
    for (;;) {
      if (this.#closed) throw closedFailure();
      if (this.#continuity.broken !== undefined) throw this.#continuity.broken;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new StorageFailure('unavailable', `etcd: ${this.#members.join(', ')} did not answer in time`);
      const client = this.#clients[this.#current] as Client;
      if (client.getChannel().getConnectivityState(true) === connectivityState.READY) return client;
      try {
        await becomesReady(client, Math.min(CONNECT_MS, leftMs));
        return client;
      } catch (error) {
        this.#avoid(client);
        if (this.#closed || performance.now() < deadlineMs) continue;
        throw failureOf(await this.#whyNot(client, error), `no connection to ${this.#members.join(', ')}`);
      }
    }
  }

  /** Why there is no connection: a name, a certificate, a closed port. A call that waits for one says nothing but that its deadline is over. */
  async #whyNot(client: Client, late: unknown): Promise<unknown> {
    const reason = await this.#unchecked(client, range, { key: NO_KEY, countOnly: true }, performance.now() + RETRY_MS).catch((error: unknown) => error);
    return (reason as Partial<ServiceError>).code === status.UNAVAILABLE ? reason : late;
  }

  async #call<Q, R>(client: Client, method: Method<Q, R>, request: Q, deadlineMs: number, calls?: ClientUnaryCall[]): Promise<R> {
    const before = this.#continuity.newest;
    const response = await this.#unchecked(client, method, request, deadlineMs, calls);
    const header = method.header?.(response);
    if (header === undefined) return response;
    this.#checkMember(client, header.clusterId);
    this.#continuity.checkRevision(header.revision, method.isChange?.(response) === true ? before + 1 : before);
    this.#trouble.answered();
    return response;
  }

  #unchecked<Q, R>(client: Client, { path, encode, decode, endsAtClose }: Method<Q, R>, request: Q, deadlineMs: number, calls?: ClientUnaryCall[]): Promise<R> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + Math.max(1, deadlineMs - performance.now());
      const call = client.makeUnaryRequest(path, encode, decode, request, new Metadata(), { deadline }, (error: ServiceError | null, response?: R) => {
        this.#endable.delete(call);
        if (error === null) resolve(response as R);
        else reject(this.#closed && error.code === status.CANCELLED ? closedFailure() : error);
      });
      calls?.push(call);
      if (endsAtClose === true) this.#endable.add(call);
    });
  }

  /** Checks a watch response. Responses to later calls must not be older than its revision. */
  #checkWatch(client: Client, { clusterId, revision }: ResponseHeader): void {
    this.#checkMember(client, clusterId);
    this.#continuity.saw(revision);
  }

  /** Throws for a member of another cluster, and logs it once per member. When no other member is left, the store is given up. */
  #checkMember(client: Client, clusterId: bigint): void {
    if (this.#continuity.isOwn(clusterId)) return void this.#foreign.delete(client);
    const failure = new ForeignMember(this.#members[this.#clients.indexOf(client)] ?? '', clusterId);
    if (this.#clients.every((one) => one === client || this.#foreign.has(one))) throw this.#continuity.break(failure.message);
    if (!this.#foreign.has(client)) this.#log('a member of etcd is of another cluster', { cause: failure.message });
    this.#foreign.add(client);
    throw failure;
  }

  /** The next call goes to the member after this one. */
  #avoid(client: Client): void {
    if (this.#clients[this.#current] === client) this.#current = (this.#current + 1) % this.#clients.length;
  }
}

/** A key that no client uses, for calls of which only the header of the response is read. */
export const NO_KEY: Uint8Array = Buffer.of(0);

function clientOf(member: string, { credentials, options }: Trust): Client {
  const isReady = (): boolean => client.getChannel().getConnectivityState(false) === connectivityState.READY;
  const client: Client = new Client(member, boundHandshakes(credentials, isReady), { ...OPTIONS, ...options });
  return client;
}

/** The deadline of a call that begins now, in the time of `performance.now`. */
export const deadlineFromNow = (): number => performance.now() + CALL_MS;

/** Resolves when the connection is ready. A timer keeps the process alive meanwhile, as a call is waiting; gRPC's own wait does not. */
function becomesReady(client: Client, withinMs: number): Promise<void> {
  const alive = setTimeout(() => {}, withinMs + RETRY_MS);
  return new Promise<void>((resolve, reject) => {
    client.waitForReady(Date.now() + Math.max(1, withinMs), (error) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
  }).finally(() => clearTimeout(alive));
}

/** Resolves to whether the answer, or a failure, comes within so many milliseconds of real time. */
function settlesWithin(answer: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settled = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    answer.then(settled, settled);
  });
}

/** The answer that comes first; the failure of the later question where there is none. */
async function firstAnswer<R>(earlier: Promise<R>, later: Promise<R>): Promise<R> {
  try {
    return await Promise.any([earlier, later]);
  } catch {
    return later;
  }
}

/** Resolves after `ms` milliseconds of real time: sockets do not follow the clock that tests set. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
