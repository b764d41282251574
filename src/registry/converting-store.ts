import { failureText, jsonLine, nextTurn } from '#base';
import { expired, type ApiError } from '#errors';
import type { ApiObject, StoredForms } from '#api';
import type { EventSink, Freshness, Stored, WatchEvent } from '#storage';
import type { FollowedStore } from './followed-store.ts';

/** The most batches of events that may wait for conversion; a watch that is further behind is ended. */
const MAX_WAITING_BATCHES = 1024;
/** The number of objects in one call of a conversion (one ConversionReview), and in one turn of the event loop. */
const CONVERTED_AT_ONCE = 500;

/**
 * A store that converts between the stored form of objects and the one its callers see: objects that are read, and objects that are written. An
 * object that needs no conversion passes unchanged, its encodings included. Throws what the conversion throws, and what the store throws.
 */
export function createConvertingStore(objects: FollowedStore, forms: StoredForms): FollowedStore {
  const load = new Loader(forms);
  return {
    async get(key, freshness) {
      const stored = await objects.get(key, freshness);
      return stored === undefined ? undefined : (await load.read([stored], freshness))[0];
    },
    atHand(key, freshness) {
      const found = objects.atHand?.(key, freshness);
      return found?.stored === undefined || load.isDeclared(found.stored) ? found : undefined;
    },
    async list(query) {
      const found = await objects.list(query);
      const items = await load.read(found.items, query.freshness);
      if (items.every((stored, position) => stored === found.items[position])) return found;
      // The encodings cached with a run are those of the stored form.
      const { runs: _, ...rest } = found;
      return { ...rest, items };
    },
    async write(key, decide, hints = {}) {
      // `seen` is a converted entry, which the store below has not returned.
      const { assume, seen: _, ...others } = hints;
      // Its conversion would change nothing of the metadata, and may fail.
      const isMetadataEnough = assume === 'absent';
      const written = await objects.write(
        key,
        async (live) => {
          const decision = await decide(live === undefined || isMetadataEnough ? live : (await forms.load([live]))[0]);
          if ('put' in decision) return { put: await forms.save(decision.put) };
          return 'remove' in decision && decision.last !== undefined ? { remove: true, last: await forms.save(decision.last) } : decision;
        },
        { ...others, ...(isMetadataEnough ? { assume } : {}) },
      );
      const [stored = written.stored] = await load.read([written.stored], 'latest');
      return { ...written, stored };
    },
    watch: (query, sink, signal) => objects.watch(query, new ConvertedEvents(load, sink, signal), signal),
    follow: (follower, signal) => objects.follow(follower, signal),
    heardOf: (key) => objects.heardOf(key),
  };
}

type ObjectEvent = Exclude<WatchEvent, { readonly type: 'BOOKMARK' }>;

/** A conversion that has begun, and all that it converts. */
interface UnderWay {
  readonly entries: readonly Stored[];
  readonly done: Promise<unknown>;
}

/** Converts stored entries: each once, or anew for reads of the latest state when a conversion's result may change without a write. */
class Loader {
  readonly #forms: StoredForms;
  readonly #known = new WeakMap<Stored, Stored>();
  readonly #events = new WeakMap<WatchEvent, ObjectEvent>();
  /** The conversions that have begun, by what they convert. */
  readonly #underWay = new Map<Stored, UnderWay>();
  /** Entries that such reads convert anew. Remembered, because the forms can tell it of decoded objects only. */
  readonly #askedAnew = new WeakSet<Stored>();

  constructor(forms: StoredForms) {
    this.#forms = forms;
  }

  /** Converts entries that were read with this freshness. */
  read(items: readonly Stored[], freshness: Freshness): Promise<readonly Stored[]> {
    if (mayBeOld(freshness)) return this.all(items);
    return this.#inParts(items, (stored) => this.#isNew(stored) || this.#askedAnew.has(stored));
  }

  /**
   * Converts entries that have not been converted before: each once, however many are told of it at the same time. What fails for others fails here,
   * too, if all that they converted is asked for here; otherwise it is tried again without the rest. `last`: those that are the last state of a removed
   * object.
   */
  async all(items: readonly Stored[], last: ReadonlySet<Stored> = NONE): Promise<readonly Stored[]> {
    const isMissing = (stored: Stored): boolean => this.#isNew(stored) || (last.has(stored) && !this.#known.has(stored));
    const own: Stored[] = [];
    const awaited = new Set<UnderWay>();
    for (const stored of items) {
      if (!isMissing(stored)) continue;
      const converting = this.#underWay.get(stored);
      if (converting === undefined) own.push(stored);
      else awaited.add(converting);
    }
    if (own.length > 0) {
      const work: UnderWay = { entries: own, done: this.#inParts(own, isMissing) };
      const forget = (): void => own.forEach((stored) => this.#underWay.delete(stored));
      for (const stored of own) this.#underWay.set(stored, work);
      work.done.then(forget, forget);
      awaited.add(work);
    }
    const failures = (await Promise.all(Array.from(awaited, failureOf))).filter((failure) => failure !== undefined);
    if (failures.length === 0) return items.map((stored) => this.#known.get(stored) ?? stored);
    const asked = new Set(items);
    for (const { entries, cause } of failures) if (entries.every((stored) => asked.has(stored))) throw cause;
    return this.all(items, last);
  }

  /** An event with its entry converted: the same for all who are told of it, since encodings are kept at events. */
  shown(event: ObjectEvent, stored: Stored): ObjectEvent {
    if (stored === event.stored) return event;
    const before = this.#events.get(event);
    if (before?.stored === stored) return before;
    const { type, revision } = event;
    const made = { type, stored, revision };
    this.#events.set(event, made);
    return made;
  }

  /** Whether an entry is known to have the form of the declaration. Not to be asked of the last state of an object, whose revision is that of its removal. */
  isDeclared({ revision }: Stored): boolean {
    const { declaredSince } = this.#forms;
    return declaredSince !== undefined && revision > declaredSince;
  }

  #isNew(stored: Stored): boolean {
    return !this.isDeclared(stored) && !this.#known.has(stored);
  }

  async #inParts(items: readonly Stored[], isMissing: (stored: Stored) => boolean): Promise<readonly Stored[]> {
    const missing = items.filter(isMissing);
    const found = new Map<Stored, Stored>();
    for (let at = 0; at < missing.length; at += CONVERTED_AT_ONCE) {
      if (at > 0) await nextTurn();
      // Another call may have converted the same entries meanwhile.
      const entries = missing.slice(at, at + CONVERTED_AT_ONCE).filter(isMissing);
      if (entries.length === 0) continue;
      const loaded = await this.#forms.load(entries.map(({ object }) => object));
      for (const [position, stored] of entries.entries()) {
        const shown = converted(stored, loaded[position]);
        this.#known.set(stored, shown);
        if (this.#forms.isAskedAnew?.(stored.object) === true) this.#askedAnew.add(stored);
        found.set(stored, shown);
      }
    }
    return items.map((stored) => found.get(stored) ?? this.#known.get(stored) ?? stored);
  }
}

interface Failure extends Pick<UnderWay, 'entries'> {
  readonly cause: unknown;
}

/** Why a conversion has failed; undefined: it has not. */
const failureOf = ({ entries, done }: UnderWay): Promise<Failure | undefined> =>
  done.then(
    () => undefined,
    (cause: unknown) => ({ entries, cause }),
  );

const NONE: ReadonlySet<Stored> = new Set();

/** Whether a read with this freshness may get the result of an earlier conversion. */
const mayBeOld = (freshness: Freshness): boolean => freshness === 'any' || (typeof freshness === 'object' && 'notOlderThan' in freshness);

function converted(stored: Stored, object: ApiObject | undefined): Stored {
  return object === undefined || object === stored.object ? stored : new ConvertedEntry(stored, object);
}

/** An entry with its object converted. */
class ConvertedEntry implements Stored {
  readonly key: Stored['key'];
  readonly revision: Stored['revision'];
  readonly object: ApiObject;
  readonly encodings = new Map<string, Uint8Array>();
  readonly labels: Stored['labels'];
  readonly fields: Stored['fields'];
  #json: Uint8Array | undefined;

  constructor({ key, revision, labels, fields }: Stored, object: ApiObject) {
    this.key = key;
    this.revision = revision;
    this.labels = labels;
    this.fields = fields;
    this.object = object;
  }

  get json(): Uint8Array {
    return (this.#json ??= jsonLine(this.object));
  }
}

/** A sink that converts events asynchronously and passes them on in order, until `signal` aborts: who listens no longer is told nothing. */
class ConvertedEvents implements EventSink {
  readonly #load: Loader;
  readonly #sink: EventSink;
  readonly #signal: AbortSignal;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(load: Loader, sink: EventSink, signal: AbortSignal) {
    this.#load = load;
    this.#sink = sink;
    this.#signal = signal;
  }

  begun(): void {
    this.#sink.begun?.();
  }

  events(batch: readonly WatchEvent[]): boolean {
    if (this.#isOver || this.#waiting >= MAX_WAITING_BATCHES) return false;
    this.#waiting++;
    this.#last = this.#last.then(async () => {
      await this.#pass(batch);
      this.#waiting--;
    });
    return true;
  }

  async drained(): Promise<void> {
    await this.#last;
    await this.#sink.drained?.();
  }

  end(cause?: Error): void {
    this.#last = this.#last.then(() => {
      if (!this.#isOver) this.#sink.end(cause);
      this.#isOver = true;
    });
  }

  async #pass(batch: readonly WatchEvent[]): Promise<void> {
    if (this.#isOver || this.#signal.aborted) return;
    try {
      const last = new Set(batch.flatMap((event) => (event.type === 'DELETED' ? [event.stored] : [])));
      const stored = await this.#load.all(batch.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.stored])), last);
      if (this.#signal.aborted) return;
      let next = 0;
      const events = batch.map((event) => (event.type === 'BOOKMARK' ? event : this.#load.shown(event, stored[next++] ?? event.stored)));
      if (this.#sink.events(events)) return;
      this.#isOver = true;
      this.#sink.end();
    } catch (cause) {
      if (this.#signal.aborted) return;
      this.#isOver = true;
      this.#sink.end(unconverted(cause));
    }
  }
}

/**
 * What cannot be converted is in the way of the resourceVersion: who watches is to list again, as at kube-apiserver, whose cache begins anew then. Some
 * clients end themselves after any other error.
 */
const unconverted = (cause: unknown): ApiError => expired(`what came next could not be converted: ${failureText(cause)}`);
