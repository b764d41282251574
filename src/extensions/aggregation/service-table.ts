import type { ApiObject, ObjectAccess } from '#api';
import { isDeepEqual } from '#base';
import { API_SERVICE, isElsewhere, nameOf, type ApiService, type Elsewhere } from './api-service.ts';

/** A group and version with its priorities, and whether another server serves it. Higher numbers come first. */
export interface PlacedVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly isElsewhere: boolean;
}

/** Called for each change, within the write that caused it, so it must return quickly. undefined: the object was deleted. */
type Listener = (name: string, service: ApiService | undefined) => void;

/** The stored APIServices, indexed for requests and discovery. */
export class ServiceTable {
  readonly #services = new Map<string, ApiService>();
  readonly #elsewhere = new Map<string, Elsewhere>();
  readonly #listeners: Listener[] = [];
  #placed: readonly PlacedVersion[] | undefined;

  /** Follows APIServices until the signal aborts. Resolves when all stored ones are known. */
  async follow(objects: ObjectAccess, signal: AbortSignal): Promise<void> {
    await objects.follow(API_SERVICE, { put: (object) => this.#put(object), remove: ({ name }) => this.#remove(name) }, signal);
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  get(name: string): ApiService | undefined {
    return this.#services.get(name);
  }

  get all(): Iterable<ApiService> {
    return this.#services.values();
  }

  /** APIServices of other servers by group and version. */
  get elsewhere(): ReadonlyMap<string, Elsewhere> {
    return this.#elsewhere;
  }

  /** The priorities of all; a new array after every change. */
  get placed(): readonly PlacedVersion[] {
    this.#placed ??= [...this.#services.values()].map(placeOf);
    return this.#placed;
  }

  #put(object: ApiObject): void {
    const service = object as ApiService;
    const name = nameOf(service);
    const before = this.#services.get(name);
    this.#services.set(name, service);
    if (isElsewhere(service)) this.#elsewhere.set(name, service);
    else this.#elsewhere.delete(name);
    if (before === undefined || !isDeepEqual(placeOf(before), placeOf(service))) this.#placed = undefined;
    for (const listener of this.#listeners) listener(name, service);
  }

  #remove(name: string): void {
    this.#services.delete(name);
    this.#elsewhere.delete(name);
    this.#placed = undefined;
    for (const listener of this.#listeners) listener(name, undefined);
  }
}

function placeOf(service: ApiService): PlacedVersion {
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = service.spec;
  return { group, version, groupPriority: groupPriorityMinimum, versionPriority, isElsewhere: isElsewhere(service) };
}
