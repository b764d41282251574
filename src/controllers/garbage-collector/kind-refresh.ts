import type { ApiObject } from '#api';
import { every, SharedRuns } from '#base';
import { openInformer, type ControllerEnv } from '#client';
import type { Monitors } from './monitors.ts';

/** How often the served kinds are discovered; changes of CustomResourceDefinitions and APIServices are noticed at once. */
const REFRESH_MS = 30_000;
/** Resources whose changes add or remove kinds. Their names are those of a resource or version, a dot, and the group. */
const KIND_SOURCES: ReadonlySet<string> = new Set(['customresourcedefinitions', 'apiservices']);

/** Keeps monitors in step with the kinds that the server has. */
export class KindRefresh {
  readonly #env: ControllerEnv;
  readonly #monitors: Monitors;
  readonly #sources = new Set<string>();
  readonly #runs = new SharedRuns(() => this.#refreshStale());
  /** The groups of the next refresh, unless it is of all. */
  #staleGroups = new Set<string>();
  #isAllStale = false;

  constructor(env: ControllerEnv, monitors: Monitors) {
    this.#env = env;
    this.#monitors = monitors;
  }

  /** Refreshes all groups now and then. */
  start(): void {
    every(this.#env.clock, REFRESH_MS, () => this.all(), this.#env.signal);
  }

  /** Refreshes the kinds of all groups. Never rejects: what cannot be discovered is tried again later. */
  all(): Promise<void> {
    this.#isAllStale = true;
    return this.#runs.next();
  }

  /** The same for one group. */
  group(group: string): Promise<void> {
    this.#staleGroups.add(group);
    return this.#runs.next();
  }

  async #refreshStale(): Promise<void> {
    const { log, signal } = this.#env;
    const groups = this.#isAllStale ? undefined : this.#staleGroups;
    this.#isAllStale = false;
    this.#staleGroups = new Set();
    try {
      if (groups === undefined) await this.#monitors.refresh();
      else await Promise.all([...groups].map((group) => this.#monitors.refreshGroup(group)));
      this.#followSources();
    } catch (cause) {
      if (!signal.aborted) log.warn('the garbage collector cannot discover the kinds of the server and tries again', { cause });
    }
  }

  /** Refreshes the kinds of a group as soon as a definition of them changes. There may be a thousand groups: only the one is asked for. */
  #followSources(): void {
    const { client, retryClock, log, signal } = this.#env;
    const opened: Promise<void>[] = [];
    for (const resource of this.#monitors.all()) {
      if (!KIND_SOURCES.has(resource.plural) || this.#sources.has(resource.plural)) continue;
      this.#sources.add(resource.plural);
      const informer = openInformer(client.metadataAt(resource), { retryClock, log, signal });
      const again = ({ metadata: { name = '' } }: ApiObject): void => {
        if (informer.isSynced) void this.group(name.slice(name.indexOf('.') + 1));
      };
      informer.listen({ put: again, remove: again });
      opened.push(informer.synced);
    }
    // A definition made after the discovery and before the first list is no change.
    if (opened.length > 0) void Promise.all(opened).then(() => this.all());
  }
}
