import { forgetOldest, steady, type Clock } from '#base';
import type { ApiObject, Follower, KindName, ObjectAccess, ObjectKey } from '#api';

/** How long the store is not asked again for a namespace of which nothing was heard, as in kube-apiserver. */
const ASKED_MS = 30_000;
const REMEMBERED = 10_000;

/** What the store had in a namespace of which nothing was heard. */
interface Answer<T> {
  readonly objects: readonly T[];
  readonly untilMs: number;
}

/**
 * The objects of a kind in every namespace, ordered by name, as this server has heard of them. Where it has heard of none, another server on the store
 * may have been told of the first one just now: then the store is asked.
 */
export class NamespacedObjects<T extends ApiObject> implements Follower {
  readonly #kind: KindName;
  readonly #objects: ObjectAccess;
  readonly #clock: Clock;
  readonly #heard = new Map<string, readonly T[]>();
  readonly #answers = new Map<string, Answer<T>>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(kind: KindName, { objects, clock }: { readonly objects: ObjectAccess; readonly clock: Clock }) {
    this.#kind = kind;
    this.#objects = objects;
    this.#clock = steady(clock);
  }

  start(signal: AbortSignal): Promise<void> {
    return this.#objects.follow(this.#kind, this, signal);
  }

  /** What is known now. */
  in(namespace: string): readonly T[] {
    return this.#heard.get(namespace) ?? this.#answers.get(namespace)?.objects ?? [];
  }

  /** To be awaited before `in` is asked; undefined, as nearly always: there is nothing to wait for. Rejects where the store cannot be asked. */
  look(namespace: string): Promise<void> | undefined {
    if (this.#heard.has(namespace)) return undefined;
    const known = this.#answers.get(namespace);
    if (known !== undefined && this.#clock.nowMs() < known.untilMs) return undefined;
    return this.#asking.get(namespace) ?? this.#ask(namespace);
  }

  put(object: ApiObject): void {
    const { namespace = '', name = '' } = object.metadata;
    const all = [...this.#without(namespace, name), object as T];
    this.#heard.set(namespace, all.sort(byName));
    this.#hasNews(namespace);
  }

  remove({ namespace, name }: ObjectKey): void {
    const rest = this.#without(namespace, name);
    if (rest.length === 0) this.#heard.delete(namespace);
    else this.#heard.set(namespace, rest);
    this.#hasNews(namespace);
  }

  #ask(namespace: string): Promise<void> {
    // What is heard meanwhile may be newer than the answer, and ends the question.
    const isAsked = (): boolean => this.#asking.get(namespace) === asking;
    const asking = this.#objects
      .list(this.#kind, namespace)
      .then((found) => {
        if (isAsked()) this.#keep(namespace, [...(found as readonly T[])].sort(byName));
      })
      .finally(() => {
        if (isAsked()) this.#asking.delete(namespace);
      });
    this.#asking.set(namespace, asking);
    return asking;
  }

  #keep(namespace: string, objects: readonly T[]): void {
    this.#answers.delete(namespace);
    forgetOldest(this.#answers, REMEMBERED);
    this.#answers.set(namespace, { objects, untilMs: this.#clock.nowMs() + ASKED_MS });
  }

  #hasNews(namespace: string): void {
    this.#answers.delete(namespace);
    this.#asking.delete(namespace);
  }

  #without(namespace: string, name: string): readonly T[] {
    return (this.#heard.get(namespace) ?? []).filter(({ metadata }) => metadata.name !== name);
  }
}

const byName = (one: ApiObject, other: ApiObject): number => ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1);
