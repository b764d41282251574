// What must hold whatever the schema and whatever managers send: laws over generated schemas and configurations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { objectTypeOf } from '#api';
import { isJsonObject } from '#base';
import { ApiError } from '#errors';
import { applyDefaults, decode, stringScalar, t, type MessageType } from '#schema';
import { apply } from './apply.ts';
import { readFieldsV1 } from './fieldpath/serialize.ts';
import { hasPath, intersection, pathsOf } from './fieldpath/set.ts';
import { changedPaths, compare } from './typed/compare.ts';
import { merge } from './typed/merge.ts';
import { withNamedFields } from './typed/named-fields.ts';
import { structureOf } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';
import { storageForm, type VersionForm } from './versions.ts';

type Json = Record<string, unknown>;

class Item extends t.message('Item', { k: t.string(1), v: t.string(2), tags: t.map(3, stringScalar) }) {}
class Whole extends t.message('Whole', { a: t.string(1), b: t.string(2) }, { isAtomic: true }) {}
class Part extends t.message('Part', { a: t.string(1), list: t.strings(2), set: t.strings(3, 'set') }) {}

/** The kinds of members a schema is made of: what declares one, and what an applier may send for it, in the names of `space`. */
const MEMBERS = {
  text: { field: (no: number) => t.string(no), sends: (space: string) => fc.constantFrom(`${space}1`, `${space}2`) },
  map: { field: (no: number) => t.map(no, stringScalar), sends: (space: string) => mapIn(space) },
  items: { field: (no: number) => t.many(no, Item, { map: ['k'] }), sends: (space: string) => itemsIn(space) },
  set: { field: (no: number) => t.strings(no, 'set'), sends: (space: string) => fc.uniqueArray(fc.constantFrom(`${space}p`, `${space}q`, `${space}r`), { minLength: 1 }) },
  list: { field: (no: number) => t.strings(no), sends: (space: string) => fc.array(fc.constant(`${space}x`), { minLength: 1, maxLength: 3 }) },
  whole: { field: (no: number) => t.perhaps(no, Whole), sends: (space: string) => fc.record({ a: fc.constant(`${space}a`) }) },
  part: { field: (no: number) => t.perhaps(no, Part), sends: (space: string) => partIn(space) },
} as const;
type Member = keyof typeof MEMBERS;

/** Where two appliers with spaces of their own never meet. */
const SHARED: ReadonlySet<Member> = new Set<Member>(['map', 'items', 'set']);

const mapIn = (space: string): fc.Arbitrary<Json> =>
  fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString').map((name) => `${space}${name}`), fc.constantFrom('1', '2'), { minKeys: 1, maxKeys: 3, noNullPrototype: true });

const partIn = (space: string): fc.Arbitrary<Json> =>
  fc.record({ a: fc.constantFrom(`${space}a`, `${space}b`), list: fc.constant([`${space}l`]), set: fc.constant([`${space}s`]) }, { requiredKeys: [] }).filter((part) => Object.keys(part).length > 0);

const itemsIn = (space: string): fc.Arbitrary<readonly Json[]> =>
  fc.uniqueArray(fc.record({ k: fc.constantFrom(`${space}a`, `${space}b`, `${space}c`), v: fc.constantFrom('1', '2'), tags: mapIn('') }, { requiredKeys: ['k'] }), { minLength: 1, selector: ({ k }) => k });

/** Members by name: the schema. */
type Shape = readonly Member[];
const shapes: fc.Arbitrary<Shape> = fc.array(fc.constantFrom(...(Object.keys(MEMBERS) as Member[])), { minLength: 1, maxLength: 5 });

function typeOf(shape: Shape): MessageType {
  class Generated extends t.message('Generated', Object.fromEntries(shape.map((member, at) => [`f${at}`, MEMBERS[member].field(at + 1)]))) {}
  return objectTypeOf(Generated);
}

/** The members of an object, or of a set of fields, under the names that the version v2 has for those of v1, and v1 for those of v2: the last is the first. */
const mirrored = (shape: Shape, value: Json): Json =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name.replace(/^(f:)?f(\d)$/, (_, step: string = '', at: string) => `${step}f${shape.length - 1 - Number(at)}`), member]));

/** What an applier may send; `isApart`: only where it can keep apart from those in other spaces. */
function configs(shape: Shape, space: string, isApart = false): fc.Arbitrary<Json> {
  const members = shape.flatMap((member, at) => (isApart && !SHARED.has(member) ? [] : [[`f${at}`, MEMBERS[member].sends(space)] as const]));
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

type ManagedFields = readonly { readonly manager: string; readonly operation: string; readonly apiVersion: string; readonly fieldsType: string; readonly fieldsV1: Json }[];

/** One object of a generated kind. */
class Course {
  readonly #shape: Shape;
  readonly #type: MessageType;
  /** By `apiVersion`. */
  readonly #forms: ReadonlyMap<string, VersionForm>;
  live: Json | undefined;
  /** What each manager sent last. */
  readonly #sent = new Map<string, Json>();
  #nowMs = Date.UTC(2024, 0, 1);

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#type = typeOf(shape);
    const to = (apiVersion: string) => (object: Json) => ({ ...mirrored(shape, object), apiVersion });
    this.#forms = new Map([
      ['v1', storageForm(this.#type)],
      ['v2', { type: typeOf([...shape].reverse()), fromStorage: to('v2'), toStorage: to('v1') }],
    ]);
  }

  /** Whether anything changed. `config` has the names of v1. Throws `ApiError` for a conflict, where it is not forced. */
  apply(manager: string, config: Json, { isForced = true, apiVersion = 'v1' }: { readonly isForced?: boolean; readonly apiVersion?: string } = {}): boolean {
    const applied = apply({
      type: this.#type,
      live: this.live,
      config: { apiVersion, kind: 'Generated', metadata: { name: 'a' }, ...(apiVersion === 'v1' ? config : mirrored(this.#shape, config)) },
      manager,
      isForced,
      apiVersion,
      kind: 'Generated',
      subresource: '',
      nowMs: (this.#nowMs += 1000),
      defaults: (object) => applyDefaults(this.#forms.get(apiVersion)!.type, object),
      forms: (version) => this.#forms.get(version),
    });
    const { isChanged } = applied;
    this.live = decode(this.#type, applied.object);
    this.#sent.set(manager, config);
    return isChanged;
  }

  /** The object without owners. */
  get body(): Json {
    const { metadata: _, ...body } = this.live ?? {};
    return body;
  }

  /** Of versions that are served. Fields have the names of v1. */
  get owners(): Json {
    const served = this.#managedFields.filter(({ apiVersion }) => this.#forms.has(apiVersion));
    return Object.fromEntries(served.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion === 'v1' ? fieldsV1 : mirrored(this.#shape, fieldsV1)]));
  }

  /** The object comes from a time when another version was served, in which the manager owned these fields. */
  remember(manager: string, operation: string, fieldsV1: Json): void {
    const managedFields: ManagedFields = [...this.#managedFields, { manager, operation, apiVersion: 'v0', fieldsType: 'FieldsV1', fieldsV1 }];
    this.live = { ...this.live, metadata: { ...(this.live?.['metadata'] as Json), managedFields } };
  }

  get #managedFields(): ManagedFields {
    const { managedFields = [] } = (this.live?.['metadata'] ?? {}) as { managedFields?: ManagedFields };
    return managedFields;
  }

  /** Paths whose owner has not said what stands there. */
  get lies(): readonly string[] {
    const structure = structureOf(this.#type);
    return Object.entries(this.owners).flatMap(([manager, fields]) => {
      const { modified } = compare(structure, this.live, merge(structure, this.live, this.#sent.get(manager)));
      return [...pathsOf(intersection(modified, readFieldsV1(fields)))].map((path) => `${manager}: ${path.join('/')}`);
    });
  }

  /** Paths that are not as they were and belong to others than this manager. */
  takenFromOthers(manager: string, before: Json | undefined): readonly string[] {
    const changed = changedPaths(compare(structureOf(this.#type), before, this.live));
    const others = Object.entries(this.owners).filter(([name]) => name !== manager);
    return others.flatMap(([name, fields]) => [...pathsOf(intersection(changed, readFieldsV1(fields)))].map((path) => `${name}: ${path.join('/')}`));
  }

  /** Owned paths at which nothing stands. */
  get ghosts(): readonly string[] {
    const structure = structureOf(this.#type);
    const there = withNamedFields(structure, toSet(structure, this.live));
    return Object.values(this.owners).flatMap((fields) => [...pathsOf(readFieldsV1(fields))].filter((path) => !hasPath(there, path)).map((path) => path.join('/')));
  }
}

const written = <T>(of: (shape: Shape) => fc.Arbitrary<T>): fc.Arbitrary<readonly [Shape, T]> => shapes.chain((shape) => of(shape).map((value) => [shape, value] as const));

/** Managers in turn, each with what it applies. */
const steps = (shape: Shape): fc.Arbitrary<readonly (readonly [string, Json])[]> =>
  fc.array(fc.tuple(fc.constantFrom('ann', 'bob', 'eve'), fc.oneof(configs(shape, 'x'), configs(shape, 'y'))), { minLength: 1, maxLength: 6 });

/** The same with the members of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse().map(([name, member]) => [name, reversed(member)])) : value;
}

/** The same with lists in an order of their own. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(unordered(item))).sort();
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, unordered(member)])) : value;
}

test('applying the same again changes nothing', () => {
  fc.assert(
    fc.property(written((shape) => fc.array(configs(shape, 'x'), { minLength: 1, maxLength: 3 })), ([shape, sent]) => {
      const course = new Course(shape);
      for (const [at, config] of sent.entries()) course.apply(`m${at}`, config);
      const before = structuredClone(course.live);
      assert.equal(course.apply(`m${sent.length - 1}`, sent.at(-1) ?? {}), false);
      assert.deepEqual(structuredClone(course.live), before);
    }),
  );
});

test('a manager that applies and then lets go of everything leaves no trace', () => {
  fc.assert(
    fc.property(written((shape) => fc.tuple(configs(shape, 'x'), configs(shape, 'y', true))), ([shape, [base, more]]) => {
      const course = new Course(shape);
      course.apply('base', base);
      const [body, owners] = structuredClone([course.body, course.owners]);
      course.apply('guest', more);
      course.apply('guest', {});
      assert.deepEqual([course.body, course.owners], [body, owners]);
    }),
  );
});

test('owners never name what is not there', () => {
  fc.assert(
    fc.property(written(steps), ([shape, sent]) => {
      const course = new Course(shape);
      for (const [manager, config] of sent) {
        course.apply(manager, config);
        assert.deepEqual(course.ghosts, []);
      }
    }),
  );
});

test('the order of members does not matter', () => {
  fc.assert(
    fc.property(written((shape) => fc.tuple(configs(shape, 'x'), configs(shape, 'x'))), ([shape, [one, two]]) => {
      const [plain, turned] = [new Course(shape), new Course(shape)];
      plain.apply('ann', one);
      plain.apply('bob', two);
      turned.apply('ann', reversed(one) as Json);
      turned.apply('bob', reversed(two) as Json);
      assert.deepEqual([turned.body, turned.owners], [plain.body, plain.owners]);
    }),
  );
});

test('appliers who keep apart may come in any order', () => {
  fc.assert(
    fc.property(written((shape) => fc.tuple(configs(shape, 'x', true), configs(shape, 'y', true))), ([shape, [one, two]]) => {
      const [first, second] = [new Course(shape), new Course(shape)];
      first.apply('ann', one);
      first.apply('bob', two);
      second.apply('bob', two);
      second.apply('ann', one);
      assert.deepEqual([unordered(second.body), second.owners], [unordered(first.body), first.owners]);
    }),
  );
});

test('what a manager alone applied before does not matter', () => {
  fc.assert(
    fc.property(written((shape) => fc.tuple(fc.array(configs(shape, 'x'), { minLength: 1, maxLength: 3 }), configs(shape, 'x'))), ([shape, [before, last]]) => {
      const [long, short] = [new Course(shape), new Course(shape)];
      for (const config of before) long.apply('ann', config);
      long.apply('ann', last);
      short.apply('ann', last);
      // An apply that only puts items in another order changes nothing.
      assert.deepEqual([unordered(long.body), long.owners], [unordered(short.body), short.owners]);
    }),
  );
});

test('who owns a field has said what stands there', () => {
  fc.assert(
    fc.property(written(steps), ([shape, sent]) => {
      const course = new Course(shape);
      for (const [manager, config] of sent) {
        course.apply(manager, config);
        assert.deepEqual(course.lies, []);
      }
    }),
  );
});

test('without force an apply changes nothing that others own and takes nothing from them, or is a conflict and changes nothing at all', () => {
  let [conflicts, successes] = [0, 0];
  fc.assert(
    fc.property(written(steps), ([shape, sent]) => {
      const course = new Course(shape);
      for (const [manager, config] of sent) {
        const [before, owners] = structuredClone([course.live, course.owners]);
        try {
          course.apply(manager, config, { isForced: false });
          successes++;
          assert.deepEqual(course.takenFromOthers(manager, before), []);
          assert.deepEqual({ ...course.owners, [manager]: 0 }, { ...owners, [manager]: 0 });
        } catch (error) {
          if (!(error instanceof ApiError) || error.reason !== 'Conflict') throw error;
          conflicts++;
          assert.deepEqual(structuredClone(course.live), before);
        }
      }
    }),
  );
  assert.ok(conflicts > 10 && successes > 10, `${conflicts} conflicts, ${successes} successes`);
});

/** Does the same to two objects, and checks after each step that they do not differ. `apiVersion` is the one that is spoken to the second. */
function runAlike(one: Course, other: Course, sent: readonly (readonly [manager: string, config: Json, apiVersion?: string])[], isForced: boolean): void {
  for (const [manager, config, apiVersion = 'v1'] of sent) {
    const taken = isTaken(() => one.apply(manager, config, { isForced }));
    assert.equal(isTaken(() => other.apply(manager, config, { isForced, apiVersion })), taken);
    assert.deepEqual([other.body, other.owners], [one.body, one.owners]);
  }
}

test('in which version each applies does not matter', () => {
  const spoken = (shape: Shape): fc.Arbitrary<readonly (readonly [manager: string, config: Json, apiVersion: string])[]> =>
    steps(shape).chain((sent) => fc.tuple(...sent.map(([manager, config]) => fc.constantFrom('v1', 'v2').map((apiVersion) => [manager, config, apiVersion] as const))));
  fc.assert(
    fc.property(written(spoken), fc.boolean(), ([shape, sent], isForced) => runAlike(new Course(shape), new Course(shape), sent, isForced)),
    // Another member under the same name.
    { examples: [[[['text', 'text'], [['ann', { f0: 'x1' }, 'v1'], ['ann', { f1: 'x1' }, 'v2']]], false]] },
  );
});

test('what was owned in a version that is gone belongs to nobody', () => {
  fc.assert(
    fc.property(written(steps), fc.boolean(), ([shape, sent], isForced) => {
      const [young, old] = [new Course(shape), new Course(shape)];
      for (const course of [young, old]) course.apply('ann', { metadata: { name: 'a', labels: { l: 'sent once' } } });
      const fields = Object.fromEntries(shape.map((_, at) => [`f:f${at}`, {}]));
      old.remember('eve', 'Apply', fields);
      old.remember('bob', 'Update', fields);
      runAlike(young, old, sent, isForced);
    }),
  );
});

/** Whether an apply succeeds, and is no conflict. */
function isTaken(apply: () => unknown): boolean {
  try {
    apply();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'Conflict') return false;
    throw error;
  }
}
