import type { ApiObject } from '#api';
import { StillClock, type Clock } from '#base';
import { parseRequest, type Identified } from '#request';
import { FlowControl, type FlowControlOptions } from './flow-control.ts';

/** A clock and event loop turns that a test advances by hand. */
export class ManualTime implements Clock {
  readonly #clock = new StillClock(0);
  #turns: (() => void)[] = [];

  nowMs = (): number => this.#clock.nowMs();
  after = (delayMs: number, run: () => void): (() => void) => this.#clock.after(delayMs, run);
  advance = (ms: number): void => this.#clock.turn(ms);

  /** Alarms that have neither rung nor been taken back. */
  get pending(): number {
    return this.#clock.pending;
  }

  readonly inNextTurn = (run: () => void): void => void this.#turns.push(run);

  /** Runs one turn; false: none was requested. */
  turn(): boolean {
    const due = this.#turns.splice(0);
    for (const run of due) run();
    return due.length > 0;
  }
}

/** A request of a user. */
export function requestOf(user: string, line: string, given: { readonly groups?: readonly string[]; readonly signal?: AbortSignal } = {}): Identified {
  const { groups = ['system:authenticated'], signal = new AbortController().signal } = given;
  const [method = '', target = ''] = line.split(' ');
  const [path = '', search = ''] = target.split('?');
  const query = new URLSearchParams(search);
  return { method, path, query, signal, info: parseRequest(method, path, query), user: { name: user, groups } } as unknown as Identified;
}

interface LevelLine {
  readonly shares?: number;
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

/** Without `queues` the level rejects. */
export function levelObject(name: string, { shares = 30, queues, handSize = 2, queueLengthLimit = 50 }: LevelLine = {}): ApiObject {
  const limitResponse = queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } };
  const spec = { type: 'Limited', limited: { assuredConcurrencyShares: shares, limitResponse } };
  return { apiVersion: '', kind: '', metadata: { name, uid: `uid-of-${name}` }, spec } as unknown as ApiObject;
}

/** Matches all requests of the given users; distinguishes by user. */
export function schemaObject(name: string, level: string, users: readonly string[], more: object = {}): ApiObject {
  const subjects = users.map((user) => ({ kind: 'User', user: { name: user } }));
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }];
  const rules = [{ subjects, resourceRules, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];
  const spec = { priorityLevelConfiguration: { name: level }, matchingPrecedence: 1000, distinguisherMethod: { type: 'ByUser' }, rules, ...more };
  return { apiVersion: '', kind: '', metadata: { name, uid: `uid-of-${name}` }, spec } as unknown as ApiObject;
}

/** Flow control in manual time with these levels and schemas. */
export function openFlow(levels: readonly ApiObject[], schemas: readonly ApiObject[], options: Partial<FlowControlOptions> = {}): { readonly flow: FlowControl; readonly time: ManualTime } {
  const time = new ManualTime();
  const flow = new FlowControl({ totalSeats: 10, maxWaitMs: 15_000, clock: time, inNextTurn: time.inNextTurn, ...options });
  for (const level of levels) flow.classes.put('PriorityLevelConfiguration', level);
  for (const schema of schemas) flow.classes.put('FlowSchema', schema);
  return { flow, time };
}
