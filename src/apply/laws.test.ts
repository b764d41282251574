// What must hold whatever the schema and whatever managers send: laws over generated schemas and configurations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { objectTypeOf } from '#api';
import { isJsonObject } from '#base';
import { applyDefaults, decode, stringScalar, t, type MessageType } from '#schema';
import { apply } from './apply.ts';
import { hasPath, pathsOf } from './fieldpath/set.ts';
import { readFieldsV1 } from './fieldpath/serialize.ts';
import { structureOf } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';
import { withNamedFields } from './typed/named-fields.ts';

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
  part: { field: (no: number) => t.perhaps(no, Part), sends: (space: string) => fc.record({ a: fc.constant(`${space}a`), set: fc.constant([`${space}s`]) }) },
} as const;
type Member = keyof typeof MEMBERS;

/** Where two appliers with spaces of their own never meet. */
const SHARED: ReadonlySet<Member> = new Set<Member>(['map', 'items', 'set']);

const mapIn = (space: string): fc.Arbitrary<Json> =>
  fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString').map((name) => `${space}${name}`), fc.constantFrom('1', '2'), { minKeys: 1, maxKeys: 3, noNullPrototype: true });

const itemsIn = (space: string): fc.Arbitrary<readonly Json[]> =>
  fc.uniqueArray(fc.record({ k: fc.constantFrom(`${space}a`, `${space}b`, `${space}c`), v: fc.constantFrom('1', '2'), tags: mapIn('') }, { requiredKeys: ['k'] }), { minLength: 1, selector: ({ k }) => k });

/** Members by name: the schema. */
type Shape = readonly Member[];
const shapes: fc.Arbitrary<Shape> = fc.array(fc.constantFrom(...(Object.keys(MEMBERS) as Member[])), { minLength: 1, maxLength: 5 });

function typeOf(shape: Shape): MessageType {
  class Generated extends t.message('Generated', Object.fromEntries(shape.map((member, at) => [`f${at}`, MEMBERS[member].field(at + 1)]))) {}
  return objectTypeOf(Generated);
}

/** What an applier may send; `isApart`: only where it can keep apart from those in other spaces. */
function configs(shape: Shape, space: string, isApart = false): fc.Arbitrary<Json> {
  const members = shape.flatMap((member, at) => (isApart && !SHARED.has(member) ? [] : [[`f${at}`, MEMBERS[member].sends(space)] as const]));
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

/** One object of a generated kind. */
class Course {
  readonly #type: MessageType;
  live: Json | undefined;
  #nowMs = Date.UTC(2024, 0, 1);

  constructor(shape: Shape) {
    this.#type = typeOf(shape);
  }

  /** Whether anything changed. */
  apply(manager: string, config: Json): boolean {
    const applied = apply({
      type: this.#type,
      live: this.live,
      config: { apiVersion: 'v1', kind: 'Generated', metadata: { name: 'a' }, ...config },
      manager,
      isForced: true,
      apiVersion: 'v1',
      kind: 'Generated',
      subresource: '',
      nowMs: (this.#nowMs += 1000),
      defaults: (object) => applyDefaults(this.#type, object),
    });
    const { isChanged } = applied;
    this.live = decode(this.#type, applied.object).value;
    return isChanged;
  }

  /** The object without owners. */
  get body(): Json {
    const { metadata: _, ...body } = this.live ?? {};
    return body;
  }

  get owners(): Json {
    const { managedFields = [] } = (this.live?.['metadata'] ?? {}) as { managedFields?: readonly { manager: string; fieldsV1: Json }[] };
    return Object.fromEntries(managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
  }

  /** Owned paths at which nothing stands. */
  get ghosts(): readonly string[] {
    const structure = structureOf(this.#type);
    const there = withNamedFields(structure, toSet(structure, this.live));
    return Object.values(this.owners).flatMap((fields) => [...pathsOf(readFieldsV1(fields))].filter((path) => !hasPath(there, path)).map((path) => path.join('/')));
  }
}

const written = <T>(of: (shape: Shape) => fc.Arbitrary<T>): fc.Arbitrary<readonly [Shape, T]> => shapes.chain((shape) => of(shape).map((value) => [shape, value] as const));

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
      assert.deepEqual(course.live, before);
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
  const steps = (shape: Shape): fc.Arbitrary<readonly (readonly [string, Json])[]> =>
    fc.array(fc.tuple(fc.constantFrom('ann', 'bob', 'eve'), fc.oneof(configs(shape, 'x'), configs(shape, 'y'))), { minLength: 1, maxLength: 6 });
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
