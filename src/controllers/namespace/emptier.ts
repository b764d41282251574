import { abortedBy } from '#base';
import type { ControllerEnv, ResourceClient } from '#client';
import { Namespace } from '#kinds';
import { awaitDeparture } from './await-departure.ts';
import { nextConditions, type Findings } from './conditions.ts';
import { deleteContent } from './delete-content.ts';

/** The longest time until remaining objects are checked again; deletions are noticed at once. */
const LOOK_AGAIN_MS = 15_000;

/** Empties terminating namespaces in rounds, and watches between these what remains. */
export class Emptier {
  readonly #env: ControllerEnv;
  readonly #namespaces: ResourceClient<Namespace>;
  readonly #again: (name: string) => void;
  readonly #ending: AbortController;
  /** By namespace: what remains in it is watched until this aborts. */
  readonly #watching = new Map<string, AbortController>();

  /** `again`: called with a namespace in which objects remained and now do not. */
  constructor(env: ControllerEnv, again: (name: string) => void) {
    this.#env = env;
    this.#namespaces = env.client.of(Namespace);
    this.#again = again;
    this.#ending = abortedBy(env.signal);
  }

  /**
   * One round: deletes the content of a namespace that is terminating, tells in its conditions what could not be deleted, and finalizes it once it is
   * empty. Resolves with the milliseconds until the next round; undefined: there is none. Rejects where something cannot be discovered or deleted.
   */
  async empty(name: string): Promise<number | undefined> {
    this.leaveAlone(name);
    const live = await this.#namespaces.find({ name });
    if (live?.metadata.deletionTimestamp === undefined || live.metadata.deletionTimestamp === null) return undefined;
    const finalizers = live.spec.finalizers ?? [];
    // Without any it was finalized before its deletion began: whatever is written to it next removes it, so that it must be empty by then.
    const isFinalized = finalizers.length === 0;
    const findings = await this.#look(name);
    const told = isFinalized ? live : await this.#tell(live, findings);
    if (findings.undiscovered.length > 0 || findings.failures.length > 0) throw new Error(problemOf(findings));
    if (findings.remains.length > 0) return this.#lookAgain(name, findings);
    if (isFinalized) await this.#namespaces.delete({ name }, { uid: live.metadata.uid ?? '' });
    else if (finalizers.includes(this.#finalizer)) await this.#letGo(told);
    return undefined;
  }

  /** Watches no longer what remains in a namespace. */
  leaveAlone(name: string): void {
    this.#watching.get(name)?.abort();
    this.#watching.delete(name);
  }

  /** Ends the round in progress, which rejects, and all watches. */
  stop(): void {
    this.#ending.abort();
  }

  get #finalizer(): string {
    return this.#env.client.brand.names.namespaceFinalizer;
  }

  async #look(name: string): Promise<Findings> {
    const { client, clock } = this.#env;
    // Each its own: the one signal would gather the listeners of all that is asked at a time.
    const round = abortedBy(this.#ending.signal);
    try {
      return await deleteContent(client, name, await client.discover(), () => clock.nowMs(), round.signal);
    } finally {
      round.abort();
    }
  }

  async #tell(live: Namespace, findings: Findings): Promise<Namespace> {
    const conditions = nextConditions(live.status.conditions ?? [], findings, this.#env.clock.nowMs());
    return conditions === undefined ? live : this.#namespaces.updateStatus({ ...live, status: { ...live.status, conditions } });
  }

  #lookAgain(name: string, { remains }: Findings): number {
    const departure = abortedBy(this.#ending.signal);
    this.#watching.set(name, departure);
    void awaitDeparture(this.#env.client, name, remains, departure.signal).then(() => {
      if (departure.signal.aborted) return;
      this.leaveAlone(name);
      this.#again(name);
    });
    const grace = Math.max(...remains.map(({ graceMs }) => graceMs));
    return grace > 0 ? Math.min(grace, LOOK_AGAIN_MS) : LOOK_AGAIN_MS;
  }

  async #letGo(live: Namespace): Promise<void> {
    const finalizers = (live.spec.finalizers ?? []).filter((one) => one !== this.#finalizer);
    await this.#namespaces.update({ ...live, spec: { ...live.spec, finalizers } }, { subresource: 'finalize' });
  }
}

const problemOf = ({ undiscovered, failures }: Findings): string =>
  [
    ...undiscovered.map(({ apiVersion, cause }) => `${apiVersion} cannot be discovered: ${cause.message}`),
    ...failures.map(({ resource, why }) => `${resource}: ${why}`),
  ].join('; ');
