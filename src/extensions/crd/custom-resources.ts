import type { ApiObject, ObjectAccess, OpenCatalog } from '#api';
import { abortedBy, failureText, isDeepEqual, Retries, seldom, type Clock, type Log } from '#base';
import type { Registries } from '#registry';
import type { CallConversion } from './conversion-webhook.ts';
import { decideStatus, withCondition } from './decide-status.ts';
import { conditionOf, DEFINITION, isGoing, isTrue, nameOf, type Condition, type Definition } from './definition.ts';
import { removeObjects } from './removal.ts';
import { toKinds } from './to-kinds.ts';

export interface CustomResourcesOptions {
  readonly catalog: OpenCatalog;
  readonly registries: Registries;
  readonly objects: ObjectAccess;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Writes status and finalizers of a definition as the server itself. Resolves when this process has observed the write. false: a conflict, or the
   * definition is gone. Rejects where it cannot be written.
   */
  readonly write: (definition: Definition) => Promise<boolean>;
  readonly callConversion: CallConversion;
  /** Whether other programs may store custom resources, too. Default: no. */
  readonly hasOthers?: boolean;
  /** Whether other servers serve the definitions of the same store. Default: no. */
  readonly isShared?: boolean;
}

const RETRY_MS = 1_000;
/** For how long the removal of objects is taken to be in progress; then something holds them. */
const PATIENCE_MS = 60_000;
const GROUPS_AT_ONCE = 8;

/** The deletion of the objects of a definition. */
interface Removal {
  /** Whether the definition changed meanwhile. */
  hadNews: boolean;
  readonly end: AbortController;
}

/** The parts of a definition that determine how it is served. */
type Served = Pick<Definition, 'spec'> & { readonly uid: string | undefined; readonly names: Definition['status']['acceptedNames']; readonly isGoing: boolean };

/**
 * Serves CustomResourceDefinitions: accepts their names, adds their kinds to the catalog, and deletes their objects before they go. Every server on a
 * store does the same; no leader is needed.
 * @spec 4.1
 */
export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #known = new Map<string, Definition>();
  readonly #served = new Map<string, Served>();
  /** Definitions whose objects are being deleted. */
  readonly #removing = new Map<string, Removal>();
  /** The names of definitions whose status must be computed, by group. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Groups whose definitions are being settled. */
  readonly #settling = new Set<string>();
  readonly #retries: Retries;
  readonly #isDue: (text: string) => boolean;
  #signal: AbortSignal = new AbortController().signal;

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#retries = new Retries(options.clock, RETRY_MS);
    this.#isDue = seldom(options.clock);
  }

  /** Follows the definitions until the signal aborts. Resolves when all established ones are served. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const put = (object: ApiObject): void => this.#put(object as Definition);
    await this.#options.objects.follow(DEFINITION, { put, remove: ({ name }) => this.#remove(name) }, signal);
  }

  #put(definition: Definition): void {
    const name = nameOf(definition);
    const before = this.#known.get(name);
    this.#known.set(name, definition);
    if (before?.metadata.uid !== definition.metadata.uid) this.#endRemoval(name);
    this.#serve(name, definition);
    this.#settleLater(definition);
    if (before !== undefined && !isDeepEqual(before.status.acceptedNames, definition.status.acceptedNames)) this.#settleNeighbours(before);
  }

  #remove(name: string): void {
    const last = this.#known.get(name);
    this.#known.delete(name);
    this.#endRemoval(name);
    this.#served.delete(name);
    this.#options.catalog.leave(name);
    if (last !== undefined) this.#settleNeighbours(last);
  }

  /** Recomputes definitions of the same group that lack names: those may have become free. All others keep what they have. */
  #settleNeighbours({ spec: { group } }: Definition): void {
    for (const other of this.#known.values()) {
      if (other.spec.group === group && conditionOf(other, 'NamesAccepted')?.status === 'False') this.#settleLater(other);
    }
  }

  /** An established definition is served, even if other definitions take its other names; except in built-in groups, whose paths are taken. */
  #serve(name: string, definition: Definition): void {
    const { catalog, callConversion, hasOthers } = this.#options;
    if (!isTrue(definition, 'Established') || catalog.isBuiltIn(definition.spec.group)) {
      if (this.#served.delete(name)) catalog.leave(name);
      return;
    }
    const { spec, status, metadata } = definition;
    // A status that somebody wrote may lack the names: until they are accepted again, nothing changes.
    if (status.acceptedNames.plural !== spec.names.plural || status.acceptedNames.kind === '') return;
    const next: Served = { spec, uid: metadata.uid, names: status.acceptedNames, isGoing: isGoing(definition) };
    const before = this.#served.get(name);
    if (isDeepEqual(before, next)) return;
    this.#served.set(name, next);
    // While its objects are deleted, watches go on: the last events are the ones that matter.
    const isSameToWatchers = before !== undefined && isDeepEqual({ ...before, isGoing: next.isGoing }, next);
    catalog.join(name, toKinds(definition, catalog.brand, callConversion, hasOthers), isSameToWatchers);
  }

  #settleLater(definition: Definition): void {
    const { group } = definition.spec;
    const names = this.#waiting.get(group) ?? new Set();
    this.#waiting.set(group, names.add(nameOf(definition)));
    this.#settleMore();
  }

  /** Groups have nothing to do with each other: several are settled at a time, so that their writes share a flush to disk. */
  #settleMore(): void {
    for (const [group, names] of this.#waiting) {
      if (this.#settling.size === GROUPS_AT_ONCE) return;
      if (this.#settling.has(group)) continue;
      this.#settling.add(group);
      void this.#settleGroup(group, names);
    }
  }

  /** Sequential: the second of two definitions with the same name must see what the first one got. */
  async #settleGroup(group: string, names: Set<string>): Promise<void> {
    // Not within the write that caused the event: the write waits for this to return.
    await Promise.resolve();
    for (const name of names) {
      if (this.#signal.aborted) return;
      names.delete(name);
      const definition = this.#known.get(name);
      if (definition !== undefined) await this.#retrying(definition, () => this.#settle(definition));
    }
    this.#waiting.delete(group);
    this.#settling.delete(group);
    this.#settleMore();
  }

  async #retrying(definition: Definition, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (this.#signal.aborted) return;
      const name = nameOf(definition);
      if (this.#isDue(`${name} ${failureText(cause)}`)) this.#options.log.warn('a definition could not be brought up to date, trying again', { definition: name, cause });
      this.#retries.later(name, () => this.#settleLater(definition));
    }
  }

  async #settle(definition: Definition): Promise<void> {
    if (isGoing(definition)) {
      this.#startRemoval(definition);
      return;
    }
    const { catalog, clock, write, isShared } = this.#options;
    const status = decideStatus(definition, [...this.#known.values()], catalog.brand, clock.nowMs(), isShared);
    if (status !== undefined) await write({ ...definition, status });
  }

  /** Deletes all objects and then the definition. Takes as long as objects have finalizers; other definitions do not wait. */
  #startRemoval(definition: Definition): void {
    const name = nameOf(definition);
    const running = this.#removing.get(name);
    if (running !== undefined) {
      running.hadNews = true;
      return;
    }
    const removal: Removal = { hadNews: false, end: abortedBy(this.#signal) };
    this.#removing.set(name, removal);
    void this.#retrying(definition, () => this.#removal(name, removal.end.signal)).finally(() => {
      if (this.#removing.get(name) !== removal) return;
      this.#endRemoval(name);
      if (removal.hadNews) this.#settleLater(definition);
    });
  }

  /** Nothing more is deleted for a definition that is gone: its name may be another's, and so are the objects then. */
  #endRemoval(name: string): void {
    this.#removing.get(name)?.end.abort();
    this.#removing.delete(name);
  }

  async #removal(name: string, signal: AbortSignal): Promise<void> {
    const { registries, catalog, clock } = this.#options;
    const definition = this.#known.get(name);
    const finalizer = this.#finalizer();
    if (definition?.metadata.finalizers?.includes(finalizer) !== true) return;
    const verdict = this.#overlaps(definition) ? OVERLAP : isTrue(definition, 'Established') ? DONE : NEVER;
    if (verdict === DONE) {
      // A concurrent change triggers another event, which starts the removal again. What failed before is told until it works.
      if (conditionOf(definition, 'Terminating')?.reason !== FAILED.reason && !(await this.#tell(name, PROGRESS))) return;
      const stopWaiting = clock.after(PATIENCE_MS, () => void this.#tell(name, STUCK).catch(() => undefined));
      try {
        await removeObjects(definition, registries, catalog.brand, signal);
      } catch (cause) {
        if (!signal.aborted) await this.#tell(name, { ...FAILED, message: `could not remove all instances: ${cause instanceof Error ? cause.message : String(cause)}` });
        throw cause;
      } finally {
        stopWaiting();
      }
    }
    if (signal.aborted) return;
    await this.#tell(name, verdict);
    const last = this.#known.get(name);
    if (last === undefined || signal.aborted) return;
    const finalizers = (last.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    // Only the finalizers are written: an invalid definition must still be deletable.
    await this.#options.write({ ...last, metadata: { ...last.metadata, finalizers } });
  }

  readonly #overlaps = ({ spec: { group, names } }: Definition): boolean => this.#options.catalog.hasBuiltIn(group, names.plural);

  readonly #finalizer = (): string => `customresourcecleanup.${this.#options.catalog.brand.group(DEFINITION.group)}`;

  /** Writes the progress of the removal as a condition. false: the definition has changed meanwhile. */
  async #tell(name: string, verdict: Omit<Condition, 'lastTransitionTime'>): Promise<boolean> {
    const definition = this.#known.get(name);
    if (definition === undefined) return false;
    const before = definition.status.conditions ?? [];
    const conditions = [...withCondition(before, verdict, this.#options.clock.nowMs())];
    return isDeepEqual(conditions, before) || this.#options.write({ ...definition, status: { ...definition.status, conditions } });
  }
}

const PROGRESS = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message: 'CustomResource deletion is in progress' } as const;
const FAILED = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionFailed' } as const;
const STUCK = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionCheck', message: 'could not confirm zero CustomResources remaining: timed out waiting for the condition' } as const;
const DONE = { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' } as const;
const NEVER = { type: 'Terminating', status: 'False', reason: 'NeverEstablished', message: 'resource was never established' } as const;
const OVERLAP = { type: 'Terminating', status: 'False', reason: 'OverlappingBuiltInResource', message: 'instances overlap with built-in resources in storage' } as const;
