import { clearTimeout, setTimeout } from '#base';
import { Metadata, status, type ClientDuplexStream, type ClientUnaryCall, type ServiceError } from '@grpc/grpc-js';
import type { EngineOptions } from '../../driver.ts';
import type { Revision } from '../../entry.ts';
import { closedFailure, StorageFailure } from '../../storage-failure.ts';
import { Continuity, ForeignMember, type ResponseHeader } from './continuity.ts';
import { failureOf, callFailureOf } from './failures.ts';
import { CALL_MS, CONNECT_MS, MEMBER_MS, RETRY_MS } from './limits.ts';
import type { Location } from './location.ts';
import { Member } from './member.ts';
import { decodeWatch, encodeWatch, type WatchResponse, type WatchRequest } from './messages.ts';
import { range, WATCH_PATH, type Method } from './methods.ts';
import { isAsTold, type ToldChange } from './told-change.ts';
import { TroubleLog } from './trouble-log.ts';
import { CurrentTrust, noTls } from './trust.ts';

export type WatchStream = ClientDuplexStream<WatchRequest, WatchResponse>;

/** One question to several members. */
interface Race {
  readonly calls: ClientUnaryCall[];
  /** The one that has answered first. */
  answeredBy?: Member;
}

/** A client of an etcd cluster: calls go to one member until it fails, then to the next. */
export class Cluster {
  readonly #members: readonly Member[];
  readonly #continuity: Continuity;
  readonly #log: EngineOptions['log'];
  readonly #trouble: TroubleLog;
  /** Members whose last response came from another cluster. */
  readonly #foreign = new Set<Member>();
  /** The calls in progress that end when this is closed. */
  readonly #endable = new Set<ClientUnaryCall>();
  /** The watches that are open, and at which member. */
  readonly #watches = new Map<WatchStream, Member>();
  #current = 0;
  #closed = false;
  /** Called when the content of etcd no longer continues what this process has seen of it: another cluster, or lost revisions. */
  broken: (why: StorageFailure) => void = () => {};

  constructor({ members, tls }: Location, { log, clock }: Pick<EngineOptions, 'log' | 'clock'>) {
    this.#log = log;
    this.#trouble = new TroubleLog({ log, clock });
    this.#continuity = new Continuity((why) => {
      log('etcd is not the store any more that it was', { cause: why.message });
      this.broken(why);
    });
    const trust = tls === undefined ? undefined : new CurrentTrust(tls, (cause) => log('the new certificates for etcd cannot be used, the old ones stay', { cause }));
    this.#members = members.map((address) => new Member(address, () => trust?.of(address) ?? noTls()));
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
   * A stream of watch responses from the current member. It fails when that member loses contact with the other members, and when it does not answer a
   * read for a while that another one answers. `report` logs why etcd has ended a watch by itself, or does not open one. Throws `StorageFailure` once
   * the cluster was closed.
   */
  openWatch(): { readonly stream: WatchStream; readonly avoid: () => void; readonly check: (response: ResponseHeader) => void; readonly report: (why: StorageFailure) => void } {
    if (this.#closed) throw closedFailure();
    const member = this.#next();
    const metadata = new Metadata({ waitForReady: false });
    metadata.set('hasleader', 'true');
    const stream = member.client.makeBidiStreamRequest(WATCH_PATH, encodeWatch, decodeWatch, metadata);
    this.#watches.set(stream, member);
    stream.once('status', () => this.#watches.delete(stream));
    const report = (why: StorageFailure): void => this.#log('etcd has ended a watch, which is opened again and again', { cause: why.message });
    return { stream, avoid: () => this.#avoid(member), check: (response) => this.#checkWatch(member, response), report };
  }

  /** Ends the calls without whose answers nothing is lost; others go on until they are answered, or their deadlines are over. */
  close(): void {
    this.#closed = true;
    for (const member of this.#members) member.close();
    for (const call of this.#endable) call.cancel();
  }

  /**
   * A member that has not answered for a while may be cut off, or as slow as all others are: the next one is asked too, and the first answer counts.
   * `race`: what is asked of which.
   */
  async #read<Q, R>(method: Method<Q, R>, request: Q, deadlineMs: number, race: Race = { calls: [] }): Promise<R> {
    for (;;) {
      const member = await this.#connected(deadlineMs);
      if (race.answeredBy !== undefined) throw new StorageFailure('unavailable', 'another member has answered');
      const answer = this.#call(member, method, request, deadlineMs, race.calls).then((response) => {
        race.answeredBy ??= member;
        return response;
      });
      try {
        if (this.#members.length === 1 || (await settlesWithin(answer, MEMBER_MS))) return await answer;
        member.wasSilent();
        this.#avoid(member);
        const first = await firstAnswer(answer, this.#read(method, request, deadlineMs, race));
        for (const call of race.calls) call.cancel();
        if (race.answeredBy !== member) this.#endWatches(member);
        return first;
      } catch (error) {
        if (race.answeredBy !== undefined || callFailureOf(error) !== 'member') throw error;
        this.#avoid(member);
        if (this.#closed || performance.now() + RETRY_MS > deadlineMs) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  async #write<Q, R>(method: Method<Q, R>, request: Q, deadlineMs: number): Promise<R> {
    const member = await this.#connected(deadlineMs);
    try {
      return await this.#call(member, method, request, deadlineMs);
    } catch (error) {
      if ((error as Partial<ServiceError>).code === status.DEADLINE_EXCEEDED) member.wasSilent();
      if (callFailureOf(error) === 'member') this.#avoid(member);
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

  get #addresses(): string {
    return this.#members.map(({ address }) => address).join(', ');
  }

  async #connected(deadlineMs: number): Promise<Member> {
    for (;;) {
      if (this.#closed) throw closedFailure();
      if (this.#continuity.broken !== undefined) throw this.#continuity.broken;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new StorageFailure('unavailable', `etcd: ${this.#addresses} did not answer in time`);
      const member = this.#next();
      if (member.isReady) return member;
      const withinMs = Math.min(CONNECT_MS, leftMs);
      try {
        // Where all refuse, the one that takes a connection again first is the next one.
        await (member.isRefused ? Promise.any(this.#members.map((one) => one.becomesReady(withinMs))) : member.becomesReady(withinMs, true));
      } catch (error) {
        this.#avoid(member);
        if (this.#closed || performance.now() < deadlineMs) continue;
        throw failureOf(await this.#whyNot(member, error), `no connection to ${this.#addresses}`);
      }
    }
  }

  /**
   * The current member, if calls can be sent to it, or else the first one behind it to which they can. Where there is none yet, or only one that is
   * silent, all of them begin to connect, and one that has not refused to comes first.
   */
  #next(): Member {
    const current = this.#members[this.#current] as Member;
    if (current.isReady && !current.isSilent) return current;
    const inTurn = [...this.#members.slice(this.#current), ...this.#members.slice(0, this.#current)];
    const ready = inTurn.filter(({ isReady }) => isReady);
    const next = ready.find(({ isSilent }) => !isSilent) ?? inTurn.find((one) => !ready.includes(one) && !one.isRefused) ?? ready[0] ?? current;
    this.#current = this.#members.indexOf(next);
    return next;
  }

  /** Why there is no connection: a name, a certificate, a closed port. A call that waits for one says nothing but that its deadline is over. */
  async #whyNot(member: Member, late: unknown): Promise<unknown> {
    const reason = await this.#unchecked(member, range, { key: NO_KEY, countOnly: true }, performance.now() + RETRY_MS).catch((error: unknown) => error);
    return (reason as Partial<ServiceError>).code === status.UNAVAILABLE ? reason : late;
  }

  async #call<Q, R>(member: Member, method: Method<Q, R>, request: Q, deadlineMs: number, calls?: ClientUnaryCall[]): Promise<R> {
    const before = this.#continuity.newest;
    const response = await this.#unchecked(member, method, request, deadlineMs, calls);
    const header = method.header?.(response);
    if (header === undefined) return response;
    this.#checkMember(member, header.clusterId);
    this.#continuity.checkRevision(header.revision, method.isChange?.(response) === true ? before + 1 : before);
    this.#trouble.answered();
    return response;
  }

  #unchecked<Q, R>(member: Member, { path, encode, decode, endsAtClose }: Method<Q, R>, request: Q, deadlineMs: number, calls?: ClientUnaryCall[]): Promise<R> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + Math.max(1, deadlineMs - performance.now());
      const call = member.client.makeUnaryRequest(path, encode, decode, request, new Metadata(), { deadline }, (error: ServiceError | null, response?: R) => {
        this.#endable.delete(call);
        if (error === null) resolve(response as R);
        else reject(this.#closed && error.code === status.CANCELLED ? closedFailure() : error);
      });
      calls?.push(call);
      if (endsAtClose === true) this.#endable.add(call);
    });
  }

  /** Checks a watch response. Responses to later calls must not be older than its revision. */
  #checkWatch(member: Member, { clusterId, revision }: ResponseHeader): void {
    this.#checkMember(member, clusterId);
    this.#continuity.saw(revision);
  }

  /** Throws for a member of another cluster, and logs it once per member. When no other member is left, the store is given up. */
  #checkMember(member: Member, clusterId: bigint): void {
    if (this.#continuity.isOwn(clusterId)) return void this.#foreign.delete(member);
    const failure = new ForeignMember(member.address, clusterId);
    if (this.#members.every((one) => one === member || this.#foreign.has(one))) throw this.#continuity.break(failure.message);
    if (!this.#foreign.has(member)) this.#log('a member of etcd is of another cluster', { cause: failure.message });
    this.#foreign.add(member);
    throw failure;
  }

  /** Who follows at a member that is silent while another one answers goes on there: until the silence is noticed otherwise, nobody would hear of changes. */
  #endWatches(silent: Member): void {
    for (const [stream, member] of this.#watches) if (member === silent) stream.cancel();
  }

  /** The next call goes to the member after this one. */
  #avoid(member: Member): void {
    if (this.#members[this.#current] === member) this.#current = (this.#current + 1) % this.#members.length;
  }
}

/** A key that no client uses, for calls of which only the header of the response is read. */
export const NO_KEY: Uint8Array = Buffer.of(0);

/** The deadline of a call that begins now, in the time of `performance.now`. */
export const deadlineFromNow = (): number => performance.now() + CALL_MS;

/** Resolves to whether the answer, or a failure, comes within so many milliseconds of real time. */
export function settlesWithin(answer: Promise<unknown>, ms: number): Promise<boolean> {
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
