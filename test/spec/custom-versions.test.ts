// Who owns what of a custom resource whose versions have schemas of their own, where nothing converts between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { established } from '../support/definitions.ts';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const text = { type: 'string' };

const names = { type: 'array', items: { type: 'object', required: ['name'], properties: { name: text, v: text } } };
const whole = { ...names, 'x-kubernetes-list-type': 'atomic' };
const keyed = { ...names, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

/** The members of `spec`, by version. */
type Members = Readonly<Record<string, object>>;

const versionsOf = (members: Members, storage = 'v2'): readonly object[] =>
  Object.entries(members).map(([name, properties]) => ({
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  }));

/** One object of a kind that is declared in several versions. */
class Versioned {
  readonly world: World;
  readonly group: string;

  private constructor(world: World) {
    this.world = world;
    this.group = `${world.fresh('g')}.example.com`;
  }

  static async declared(world: World, members: Members): Promise<Versioned> {
    const versioned = new Versioned(world);
    const { group } = versioned;
    expect(
      201,
      await world.post(versioned.#definitions, {
        apiVersion: `${world.brand.group('apiextensions')}/v1`,
        kind: 'CustomResourceDefinition',
        metadata: { name: `bars.${group}` },
        spec: { group, scope: 'Namespaced', names: { plural: 'bars', kind: 'Bar' }, versions: versionsOf(members) },
      }),
    );
    await versioned.#settled();
    return versioned;
  }

  /** Other versions than were declared first. What was stored so far is of the version that stays. */
  async change(members: Members, storage = 'v2'): Promise<void> {
    expect(200, await this.world.patch('merge', `${this.#definition}/status`, { status: { storedVersions: [storage] } }));
    expect(200, await this.world.patch('merge', this.#definition, { spec: { versions: versionsOf(members, storage) } }));
    await this.#settled();
  }

  /** Resolves when the definition is gone. */
  async forget(): Promise<void> {
    const watch = await this.world.watch(`${this.#definitions}?watch=1&fieldSelector=metadata.name%3Dbars.${this.group}`);
    expect(200, await this.world.delete(this.#definition));
    while ((await watch.next(1))[0].type !== 'DELETED');
    await watch.stop();
  }

  read(version: string): Promise<TestAnswer> {
    return this.world.get(this.#path(version));
  }

  remove(version: string): Promise<TestAnswer> {
    return this.world.delete(this.#path(version));
  }

  apply(version: string, manager: string, spec: object, query = ''): Promise<TestAnswer> {
    const head = { apiVersion: `${this.group}/${version}`, kind: 'Bar', metadata: { name: 'a' } };
    return this.world.patch('apply', `${this.#path(version)}?fieldManager=${manager}${query}`, { ...head, spec });
  }

  merge(version: string, manager: string, spec: object): Promise<TestAnswer> {
    return this.world.patch('merge', `${this.#path(version)}?fieldManager=${manager}`, { spec });
  }

  get #definitions(): string {
    return `/apis/${this.world.brand.group('apiextensions')}/v1/customresourcedefinitions`;
  }

  get #definition(): string {
    return `${this.#definitions}/bars.${this.group}`;
  }

  #path(version: string): string {
    return `/apis/${this.group}/${version}/namespaces/default/bars/a`;
  }

  async #settled(): Promise<void> {
    await established(this.world.server, this.#definition);
  }
}

const conflictsOf = (answer: TestAnswer): readonly string[] =>
  expectFailure(409, 'Conflict', answer).details.causes.map(({ field, message }: TestJson) => `${field}: ${message}`);

const ownersOf = ({ metadata: { managedFields = [] } }: TestJson): readonly string[] =>
  managedFields.map(({ manager, apiVersion }: TestJson) => `${manager} ${apiVersion.split('/')[1]}`).sort();

/** What an apply is told that cannot be counted in the version of some owner. */
function refusalOf(answer: TestAnswer): string {
  assert.equal(answer.status, 500, answer.text);
  return JSON.parse(answer.text).message;
}

everywhere(PLACES.both, (world) => {
  test('R4.9-10 R4.9-32 a list is one piece for who owns it in a version that says so, whatever the version of who changes it', async () => {
    const custom = await Versioned.declared(world, { v1: { list: whole }, v2: { list: keyed } });
    expect(201, await custom.apply('v1', 'ann', { list: [{ name: 'a', v: '1' }] }));
    assert.deepEqual(conflictsOf(await custom.apply('v2', 'bob', { list: [{ name: 'b', v: '1' }] })), ['.spec.list: conflict with "ann"']);
    const forced = expect(200, await custom.apply('v2', 'bob', { list: [{ name: 'b', v: '1' }] }, '&force=true'));
    assert.deepEqual([forced.spec.list.length, ownersOf(forced)], [2, ['bob v2']]);
    // In the words of v2 nothing of what bob owns changes.
    expect(200, await custom.apply('v1', 'ann', { list: [{ name: 'a', v: '2' }, { name: 'b', v: '1' }] }));
  });

  test('R4.9-31 what an owner could not see in its version cannot be applied in another, and an update forgets the owners', async () => {
    const custom = await Versioned.declared(world, { v1: { a: text }, v2: { a: text, b: text } });
    expect(201, await custom.apply('v1', 'ann', { a: '1' }));
    expect(200, await custom.apply('v2', 'bob', { a: '1' }));
    assert.match(refusalOf(await custom.apply('v2', 'eve', { b: '1' })), /^failed to convert new object: \.spec\.b: field not declared in schema$/);
    assert.deepEqual(ownersOf(expect(200, await custom.merge('v2', 'upd', { b: '1' }))), []);
    assert.deepEqual(ownersOf(expect(200, await custom.apply('v2', 'eve', { b: '1' }))), ['before-first-apply v2', 'eve v2']);
  });

  test('R4.9-31 while somebody owns fields in a version that is gone nothing can be applied, and an update forgets the owners', async () => {
    const same = { a: text, b: text };
    const custom = await Versioned.declared(world, { v1: same, v2: same });
    expect(201, await custom.apply('v1', 'ann', { a: '1' }));
    await custom.change({ v2: same });
    assert.equal(refusalOf(await custom.apply('v2', 'bob', { b: '1' })), `request to convert CR to an invalid group/version: ${custom.group}/v1`);
    assert.deepEqual(ownersOf(expect(200, await custom.merge('v2', 'upd', { b: '1' }))), []);
    assert.deepEqual(ownersOf(expect(200, await custom.apply('v2', 'bob', { b: '1' }))), ['before-first-apply v2', 'bob v2']);
  });

  test('what is stored in a version that is declared no more cannot be read or written until the version is back, and goes with its definition', async () => {
    const custom = await Versioned.declared(world, { v1: { a: text }, v2: { a: text } });
    expect(201, await custom.apply('v2', 'ann', { a: '1' }));
    await custom.change({ v1: { a: text } }, 'v1');
    const why = `request to convert CR from an invalid group/version: ${custom.group}/v2`;
    for (const answer of [await custom.read('v1'), await custom.merge('v1', 'upd', { a: '2' }), await custom.apply('v1', 'bob', { a: '2' }), await custom.remove('v1')]) assert.equal(refusalOf(answer), why);
    await custom.change({ v1: { a: text }, v2: { a: text } });
    assert.equal(expect(200, await custom.read('v1')).spec.a, '1');
    await custom.change({ v1: { a: text } }, 'v1');
    await custom.forget();
  });

  test('R4.9-31 what became none of its type under its object cannot be applied to', async () => {
    const custom = await Versioned.declared(world, { v1: { a: text }, v2: { a: { type: 'integer' } } });
    expect(201, await custom.apply('v1', 'ann', { a: '1' }));
    assert.match(refusalOf(await custom.apply('v2', 'ann', { a: 1 }, '&force=true')), /^failed to create typed live object \(.*\/a; .*\/v2, Kind=Bar\): /);
  });
});
