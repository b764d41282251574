import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonText } from '#base';
import { ApiError } from '#errors';
import { MAX_ANNOTATIONS_BYTES, objectTypeOf } from '#api';
import { applyDefaults, decode, stringScalar, t } from '#schema';
import { apply } from './apply.ts';
import { formatPath, pathOf } from './fieldpath/path.ts';
import { pathsOf, setOf } from './fieldpath/set.ts';
import { identityOf, type Entry, type Managed } from './managed-fields.ts';
import { managerName } from './managers/manager-name.ts';
import { capUpdateManagers } from './managers/cap.ts';
import { touches } from './test-support.ts';
import { track } from './track.ts';
import { renamedForm, storageForm, type VersionForms } from './versions.ts';

class Port extends t.message('Port', {
  name: t.string(1),
  port: t.int32(2).required(),
  protocol: t.string(3).default('TCP'),
}) {}
class Choice extends t.message('Choice', { labels: t.map(1, stringScalar) }, { isAtomic: true }) {}
class Spec extends t.message('Spec', {
  replicas: t.maybe.int32(1).default(1),
  size: t.int32(2),
  choice: t.perhaps(3, Choice),
  ports: t.many(4, Port, { map: ['port', 'protocol'] }),
  args: t.strings(5),
  zones: t.strings(6, 'set'),
}) {}
class Status extends t.message('Status', { ready: t.int32(1) }) {}
class Thing extends t.message('Thing', {
  data: t.map(1, stringScalar),
  spec: t.one(2, Spec),
  status: t.one(3, Status),
}) {}

const type = objectTypeOf(Thing);
const DAY_ONE = Date.UTC(2024, 0, 1);
type Json = Record<string, unknown>;
interface Stored extends Json {
  metadata: Json & { managedFields?: { manager: string; operation: string; time?: string; fieldsV1: Json; subresource?: string }[] };
}

const LAST_APPLIED = 'kubectl.example/last-applied';

/** A server with one object, and a clock that goes on by a second with every write. */
class Server {
  live: Stored | undefined;
  nowMs = DAY_ONE;

  update(manager: string, body: Json, subresource = ''): Stored {
    const whole = { ...body, metadata: { ...this.#system(), ...(body['metadata'] as Json | undefined) } };
    const next = normal(whole);
    const done = track({ type, live: this.live, next, manager, apiVersion: 'v1', subresource, nowMs: this.#tick(), resetFields: reset(subresource) });
    return (this.live = decode(type, done) as Stored);
  }

  /** An update of what is there. */
  change(manager: string, changes: Json, subresource = ''): Stored {
    return this.update(manager, { ...this.live, ...changes, metadata: { ...this.live?.metadata, ...(changes['metadata'] as Json) } }, subresource);
  }

  apply(manager: string, config: Json, isForced = false, subresource = ''): Stored {
    const { object, isChanged } = apply({
      type,
      live: this.live,
      config: { apiVersion: 'v1', kind: 'Thing', ...config, metadata: { name: 'a', ...(config['metadata'] as Json | undefined) } },
      manager,
      isForced,
      apiVersion: 'v1',
      kind: 'Thing',
      subresource,
      nowMs: this.#tick(),
      defaults: (object) => applyDefaults(type, object),
      resetFields: reset(subresource),
      lastAppliedAnnotation: LAST_APPLIED,
    });
    const stored = decode(type, { ...object, metadata: { ...(object['metadata'] as Json), ...this.#system() } }) as Stored;
    assert.equal(isChanged, this.live === undefined || jsonText(stored) !== jsonText(this.live));
    return (this.live = stored);
  }

  /** Who owns what, without times. */
  get owners(): Json {
    const entries = this.live?.metadata.managedFields ?? [];
    return Object.fromEntries(entries.map((one) => [`${one.manager} ${one.operation}${one.subresource === undefined ? '' : ` ${one.subresource}`}`, one.fieldsV1]));
  }

  #system(): Json {
    return { uid: '1', creationTimestamp: '2024-01-01T00:00:00Z' };
  }

  #tick(): number {
    return (this.nowMs += 1000);
  }
}

const reset = (subresource: string): ReturnType<typeof setOf> => (subresource === '' ? setOf(pathOf('status')) : setOf(pathOf('spec'), pathOf('data')));

function normal(body: Json): Json {
  const value = decode(type, { apiVersion: 'v1', kind: 'Thing', ...body, metadata: { name: 'a', ...(body['metadata'] as Json | undefined) } });
  applyDefaults(type, value);
  return value;
}

const port = (number: number): string => `k:{"port":${number},"protocol":"TCP"}`;

test('R4.9-15 RX-12 a create owns what it sets and what defaults add, not what is always written', () => {
  const server = new Server();
  server.update('m', { data: { a: '1' }, spec: { ports: [{ port: 80 }], args: ['x'], zones: ['z'], choice: { labels: { a: 'b' } } } });
  assert.deepEqual(server.owners, {
    'm Update': {
      'f:data': { '.': {}, 'f:a': {} },
      'f:spec': {
        'f:args': {},
        'f:choice': {},
        'f:ports': { '.': {}, [port(80)]: { '.': {}, 'f:port': {}, 'f:protocol': {} } },
        'f:replicas': {},
        'f:zones': { '.': {}, 'v:"z"': {} },
      },
    },
  });
});

test('R4.9-14 R4.9-15 updates take what they change from everyone and leave the rest', () => {
  const server = new Server();
  server.update('one', { data: { a: '1', b: '1' } });
  server.change('two', { data: { a: '2', b: '1', c: '1' } });
  assert.deepEqual(server.owners['two Update'], { 'f:data': { 'f:a': {}, 'f:c': {} } });
  assert.deepEqual((server.owners['one Update'] as Json)['f:data'], { '.': {}, 'f:b': {} });
  server.change('two', { data: { b: '1' } });
  assert.deepEqual(Object.keys(server.owners), ['one Update']);
});

test('R2.2-18 the time of an entry moves when its manager comes to own other fields, and not otherwise', () => {
  const server = new Server();
  const timeOf = (manager: string): string | undefined => server.live?.metadata.managedFields?.find((one) => one.manager === manager)?.time;
  server.update('one', { data: { a: '1' } });
  const created = timeOf('one');
  server.change('one', {});
  server.change('two', { data: { a: '1', b: '1' } });
  assert.equal(timeOf('one'), created);
  const second = timeOf('two');
  server.change('one', { data: { a: '2', b: '1' } });
  assert.equal(timeOf('one'), created);
  server.change('one', { data: { a: '2', b: '1', c: '1' } });
  assert.notEqual(timeOf('one'), created);
  assert.equal(timeOf('two'), second);
});

test('an update that changes nothing is the same object', () => {
  const json = fc.dictionary(fc.string(), fc.string(), { maxKeys: 6 });
  fc.assert(
    fc.property(json, json, fc.array(fc.nat(5), { maxLength: 4 }), (data, labels, ports) => {
      const server = new Server();
      const body = { data, metadata: { labels }, spec: { ports: [...new Set(ports)].map((port) => ({ port })) } };
      const before = JSON.stringify(server.update('one', body));
      assert.equal(JSON.stringify(server.change('two', {})), before);
    }),
  );
});

test('a set of owned fields never names a field that is not there', () => {
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), fc.string(), { maxKeys: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('one', 'two', 'three'), data, fc.boolean()), { minLength: 1, maxLength: 6 }), (writes) => {
      const server = new Server();
      server.update('zero', { data: { first: '1' } });
      for (const [manager, next, isApply] of writes) {
        if (isApply) server.apply(manager, { data: next }, true);
        else server.change(manager, { data: next });
        const there = Object.keys((server.live?.['data'] as Json | undefined) ?? {});
        for (const fields of Object.values(server.owners)) {
          const named = Object.keys(((fields as Json)['f:data'] as Json | undefined) ?? {}).filter((name) => name !== '.');
          for (const name of named) assert.ok(there.includes(name.slice(2)), `${name} in ${there.join()}`);
        }
      }
    }),
  );
});

test('an object whose items cannot be told apart is not tracked', () => {
  const server = new Server();
  server.update('m', { data: { a: '1' }, metadata: { finalizers: ['example.com/x', 'example.com/x'] } });
  assert.deepEqual(server.owners, {});
});

test('all that is wrong with such an object is told to whoever applies to it, whether it has owners or not', () => {
  const twice = { metadata: { finalizers: ['example.com/x', 'example.com/x'] }, spec: { ports: [{ port: 1 }, { port: 1 }] } };
  const why = 'errors:\n  .metadata.finalizers: duplicate entries for key [="example.com/x"]\n  .spec.ports: duplicate entries for key [port=1,protocol="TCP"]';
  const server = new Server();
  server.update('m', twice);
  const refused = (message: string): void => assert.throws(() => server.apply('n', { data: { a: '1' }, metadata: { finalizers: ['example.com/y'] } }), { code: 500, message });
  refused(`failed to create manager for existing fields: failed to convert new object (/a; /v1, Kind=Thing) to smd typed: ${why}`);
  const owned = { manager: 'm', operation: 'Apply' as const, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:b': {} } } };
  server.live = { ...server.live, metadata: { ...server.live?.metadata, managedFields: [owned] } };
  refused(`failed to create typed live object (/a; /v1, Kind=Thing): ${why}`);
});

test('tracking does not begin in the middle of a life', () => {
  const server = new Server();
  server.update('m', { data: { a: '1' } });
  server.change('m', { metadata: { managedFields: [{}] } });
  server.change('m', { data: { a: '2' } });
  assert.deepEqual(server.owners, {});
});

test('R4.9-23 R4.9-24 R4.9-25 one empty entry forgets all owners, an empty list does not', () => {
  const server = new Server();
  server.update('one', { data: { a: '1', b: '1' } });
  server.change('two', { metadata: { managedFields: [] } });
  assert.deepEqual(Object.keys(server.owners), ['one Update']);
  server.change('two', { data: { a: '2', b: '1' }, metadata: { managedFields: [{}] } });
  assert.deepEqual(server.owners, { 'two Update': { 'f:data': { 'f:a': {} } } });
  server.change('two', { metadata: { managedFields: [{}] } });
  assert.deepEqual(server.owners, {});
});

test('managedFields that a client sends count when they can be read', () => {
  const server = new Server();
  server.update('one', { data: { a: '1' } });
  const sent = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } };
  const unreadable = [{ operation: 'Bogus' }, { apiVersion: '' }, { fieldsType: 'FieldsV2' }, { fieldsV1: { bad: {} } }, { fieldsV1: [] }, { fieldsV1: nested(2000) }];
  for (const member of unreadable) {
    server.change('two', { metadata: { managedFields: [sent, { ...sent, ...member }] } });
    assert.deepEqual(Object.keys(server.owners), ['one Update'], JSON.stringify(member).slice(0, 80));
  }
  server.change('two', { metadata: { managedFields: [sent] } });
  assert.deepEqual(Object.keys(server.owners), ['x Update']);
});

test('managedFields that come with a new object count when they can be read, and those that come through a subresource never', () => {
  const entry = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:status': { 'f:ready': {} } }, subresource: 'status' };
  const created = (managedFields: readonly Json[]): Server => {
    const server = new Server();
    server.update('one', { data: { a: '1' }, status: { ready: 1 }, metadata: { managedFields } });
    return server;
  };
  assert.deepEqual(Object.keys(created([{ ...entry, fieldsV1: { bad: {} } }]).owners), ['one Update']);
  const server = created([entry]);
  assert.deepEqual(server.owners['x Update status'], entry.fieldsV1);
  const before = server.owners;
  for (const managedFields of [[{}], [], [{ ...entry, manager: 'eve' }]]) {
    server.change('one', { metadata: { managedFields } }, 'status');
    assert.deepEqual(server.owners, before, JSON.stringify(managedFields));
  }
});

test('an item of which a client claims nothing but that it is there stays when the applier of another leaves', () => {
  const server = new Server();
  server.update('one', { spec: { ports: [{ port: 80 }] } });
  const claim = { manager: 'eve', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:ports': { [port(80)]: { '.': {} } } } } };
  server.change('two', { metadata: { managedFields: [claim] } });
  server.apply('ann', { spec: { ports: [{ port: 81 }] } }, true);
  server.apply('ann', {}, true);
  assert.deepEqual(server.live?.['spec'], { replicas: 1, ports: [{ port: 80, protocol: 'TCP' }] });
});

/** A set of fields whose steps go down so far. */
function nested(depth: number): Json {
  let fields: Json = {};
  for (let at = 0; at < depth; at++) fields = { 'f:a': fields };
  return fields;
}

/** `fields` with one more path, in place. */
function withPath(fields: Json, path: readonly string[]): Json {
  let at = fields;
  for (const step of path) at = (at[step] ??= {}) as Json;
  return fields;
}

test('whatever a client says about owners, the writes after it go on and conflict at most', () => {
  const step = fc.constantFrom('f:metadata', 'f:labels', 'f:data', 'f:a', 'f:spec', 'f:args', 'f:zones', 'f:choice', 'f:ports', 'f:gone', 'k:{"name":"x"}', port(80), 'v:"z"', 'v:1', 'i:0', 'z:new', '.');
  const fields = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 8 }).map((paths) => paths.reduce<Json>(withPath, {}));
  const entry = fc.record({
    manager: fc.constantFrom('ann', 'bob', ''),
    operation: fc.constantFrom('Apply', 'Update'),
    apiVersion: fc.constantFrom('v1', 'v9'),
    fieldsType: fc.constant('FieldsV1'),
    fieldsV1: fields,
  });
  const body = { data: { a: '1' }, spec: { args: ['x'], zones: ['z'], ports: [{ port: 80 }], choice: { labels: { a: 'b' } } } };
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), (managedFields) => {
      const server = new Server();
      server.update('one', body);
      server.change('two', { metadata: { managedFields } });
      server.change('two', { data: { a: '2' } });
      server.apply('ann', { spec: { zones: ['z'], ports: [{ port: 81 }] } }, true);
      try {
        server.apply('eve', { data: { a: '3' } });
      } catch (error) {
        if (!(error instanceof ApiError && error.reason === 'Conflict')) throw error;
      }
      server.apply('ann', {}, true);
    }),
  );
});

test('more than ten updaters are poured into one entry, oldest first', () => {
  const server = new Server();
  server.update('m0', { data: { k0: '0' } });
  for (let at = 1; at < 15; at++) server.change(`m${at}`, { data: { ...(server.live?.['data'] as Json), [`k${at}`]: '1' } });
  const names = server.live?.metadata.managedFields?.map((one) => one.manager);
  assert.deepEqual(names, ['ancient-changes', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11', 'm12', 'm13', 'm14']);
  assert.deepEqual(Object.keys((server.owners['ancient-changes Update'] as Json)['f:data'] as Json), ['.', 'f:k0', 'f:k1', 'f:k2', 'f:k3', 'f:k4', 'f:k5']);
});

test('updaters are poured by version, and those poured before take in who comes later', () => {
  const entry = (at: number, apiVersion = 'v1', manager = `m${at}`): readonly [string, Entry] => {
    const one: Entry = { manager, operation: 'Update', apiVersion, subresource: '', time: new Date(DAY_ONE + at * 1000).toISOString(), fields: setOf(pathOf(`f${at}`)) };
    return [identityOf(one), one];
  };
  const applier: Entry = { manager: 'a', operation: 'Apply', apiVersion: 'v1', subresource: '', time: undefined, fields: setOf(pathOf('a')) };
  const few = new Map([entry(3), entry(1), entry(2), [identityOf(applier), applier]]);
  assert.equal(capUpdateManagers(few, 3), few);
  const named = (managed: Managed): readonly (readonly string[])[] => [...managed.values()].map(({ manager, apiVersion, fields }) => [manager, apiVersion, [...pathsOf(fields)].map(formatPath).join(' ')]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  assert.deepEqual(named(capUpdateManagers(few, 2)), [
    ['a', 'v1', '.a'],
    ['ancient-changes', 'v1', '.f1 .f2'],
    ['m3', 'v1', '.f3'],
  ]);
  // The only one of its version stays, however old it is.
  assert.deepEqual(named(capUpdateManagers(new Map([entry(1, 'v0'), entry(4), entry(3), entry(2)]), 3)), [
    ['ancient-changes', 'v1', '.f2 .f3'],
    ['m1', 'v0', '.f1'],
    ['m4', 'v1', '.f4'],
  ]);
  const rows: readonly (readonly [at: number, fields: string])[] = [
    [1, '.f1 .f3'],
    [4, '.f4 .f5'],
    [6, '.f5 .f6'],
  ];
  for (const [at, fields] of rows) {
    const poured = named(capUpdateManagers(new Map([entry(3), entry(5), entry(at, 'v1', 'ancient-changes')]), 2));
    assert.deepEqual([poured.length, poured[0]], [2, ['ancient-changes', 'v1', fields]]);
  }
});

test('what a write changes is put together once, however many managers there are', () => {
  const server = new Server();
  const keys = (prefix: string, value: string): Json => Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${prefix}${n}`, value]));
  server.update('u', { data: { z: '1', ...keys('a', '1') } });
  const managedFields = Array.from({ length: 500 }, (_, n) => ({ manager: `m${n}`, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:z': {} } } }));
  server.change('u', { metadata: { managedFields } });
  const change = (value: string): Json => ({ data: { ...keys('a', value), ...keys(value, '1') } });
  assert.ok(touches(() => server.change('u', { data: { z: '1', ...(change('b')['data'] as Json) } })) < 100_000);
  assert.ok(touches(() => server.apply('n', change('c'), true)) < 100_000);
  assert.equal(Object.keys(server.owners).length, 502);
});

test('thousands of updaters are poured into one entry without copying it for each', () => {
  const entries = Array.from({ length: 4_000 }, (_, at): readonly [string, Entry] => {
    const one: Entry = { manager: `m${at}`, operation: 'Update', apiVersion: 'v1', subresource: '', time: undefined, fields: setOf(pathOf(`f${at}`)) };
    return [identityOf(one), one];
  });
  const managed = new Map(entries);
  let left = 0;
  const times = touches(() => (left = capUpdateManagers(managed).size));
  assert.equal(left, 10);
  assert.ok(times < 4_000 * 40, `${times} times`);
});

test('status has owners of its own', () => {
  const server = new Server();
  server.update('one', { spec: { size: 3 } });
  server.change('one', { status: { ready: 1 } }, 'status');
  assert.deepEqual(server.owners, {
    'one Update': { 'f:spec': { 'f:replicas': {}, 'f:size': {} } },
    'one Update status': { 'f:status': { 'f:ready': {} } },
  });
});

test('R4.9-06 R4.9-08 the manager is the field manager, else the beginning of the user agent', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['ci', 'kubectl/v1', 'ci'],
    ['', 'kubectl/v1.23 (linux)', 'kubectl'],
    ['', 'some thing/1', 'some thing'],
    ['', '\u0000a\u200bb\n/1', 'ab'],
    ['', '', 'unknown'],
    ['', `${'é'.repeat(100)}/1`, 'é'.repeat(64)],
  ];
  for (const [fieldManager, userAgent, expected] of rows) assert.equal(managerName(fieldManager, userAgent), expected);
});

test('R4.9-18 an apply owns what it sends and removes what it no longer sends', () => {
  const server = new Server();
  server.apply('m1', { data: { x: '1' } });
  assert.deepEqual(server.owners, { 'm1 Apply': { 'f:data': { 'f:x': {} } } });
  server.apply('m2', { data: { y: '2' } });
  server.apply('m1', { data: { z: '3' } });
  assert.deepEqual(server.live?.['data'], { y: '2', z: '3' });
  server.apply('m2', { data: {} });
  assert.deepEqual(server.owners, { 'm1 Apply': { 'f:data': { 'f:z': {} } }, 'm2 Apply': { 'f:data': {} } });
  server.apply('m1', {});
  assert.equal(server.live?.['data'], undefined);
});

function conflictsOf(act: () => unknown): { message: string; causes: unknown } {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 409);
    return { message: error.message, causes: error.details?.causes?.map((cause) => `${cause.message ?? ''} ${cause.field ?? ''}`) };
  }
  return assert.fail('no conflict');
}

test('R4.9-10 R4.9-16 R4.9-17 shared fields conflict whoever changes them', () => {
  const server = new Server();
  server.apply('m1', { data: { x: '1', y: '1' } });
  server.apply('m2', { data: { x: '1' } });
  assert.deepEqual(conflictsOf(() => server.apply('m1', { data: { x: '3' } })), {
    message: 'Apply failed with 1 conflict: conflict with "m2": .data.x',
    causes: ['conflict with "m2" .data.x'],
  });
  assert.deepEqual(conflictsOf(() => server.apply('m3', { data: { x: '3', y: '9' } })), {
    message: 'Apply failed with 3 conflicts: conflicts with "m1":\n- .data.x\n- .data.y\nconflicts with "m2":\n- .data.x',
    causes: ['conflict with "m1" .data.x', 'conflict with "m1" .data.y', 'conflict with "m2" .data.x'],
  });
});

test('R4.9-11 R4.9-12 R4.9-13 the three ways out of a conflict', () => {
  const start = (): Server => {
    const server = new Server();
    server.apply('m1', { data: { x: '1' } });
    server.change('u', { data: { x: '2' } });
    assert.match(conflictsOf(() => server.apply('m1', { data: { x: '1' } })).message, /"u" using v1: \.data\.x$/);
    return server;
  };
  const forced = start();
  forced.apply('m1', { data: { x: '1' } }, true);
  assert.deepEqual(forced.owners, { 'm1 Apply': { 'f:data': { 'f:x': {} } } });
  const given = start();
  given.apply('m1', {});
  assert.deepEqual([given.live?.['data'], Object.keys(given.owners)], [{ x: '2' }, ['u Update']]);
  const shared = start();
  shared.apply('m1', { data: { x: '2' } });
  assert.deepEqual(Object.keys(shared.owners), ['m1 Apply', 'u Update']);
});

test('R4.9-19 RX-13 what is no longer applied goes back to its default', () => {
  const server = new Server();
  server.apply('m', { spec: { replicas: 5, size: 2 } });
  server.apply('m', { spec: { size: 2 } });
  assert.deepEqual(server.live?.['spec'], { replicas: 1, size: 2 });
});

test('R4.9-20 what another manager owns stays', () => {
  const server = new Server();
  server.apply('m', { spec: { replicas: 5 } });
  server.change('scaler', { spec: { replicas: 7 } });
  server.apply('m', { spec: { replicas: 7 } });
  server.apply('m', {});
  assert.deepEqual(server.live?.['spec'], { replicas: 7 });
});

test('R4.9-30 R4.9-31 R4.9-32 lists: one piece, set, by keys with defaults', () => {
  const server = new Server();
  server.apply('m1', { spec: { args: ['a'], zones: ['x'], ports: [{ port: 80, name: 'a' }] } });
  server.apply('m2', { spec: { zones: ['y'], ports: [{ port: 81 }, { port: 80, protocol: 'UDP' }] } });
  assert.deepEqual(server.live?.['spec'], {
    replicas: 1,
    ports: [
      { name: 'a', port: 80, protocol: 'TCP' },
      { port: 81, protocol: 'TCP' },
      { port: 80, protocol: 'UDP' },
    ],
    args: ['a'],
    zones: ['x', 'y'],
  });
  assert.match(conflictsOf(() => server.apply('m2', { spec: { args: ['b'] } })).message, /"m1": \.spec\.args$/);
  assert.match(conflictsOf(() => server.apply('m2', { spec: { ports: [{ port: 80, name: 'b' }] } })).message, /\[port=80,protocol="TCP"\]\.name$/);
  server.apply('m1', {});
  assert.deepEqual((server.live as Json as { spec: Json }).spec['zones'], ['y']);
  assert.equal(((server.live as Json as { spec: Json }).spec['ports'] as unknown[]).length, 2);
});

test('R4.9-38 R4.9-40 a type that is one piece has one owner', () => {
  const server = new Server();
  server.apply('m1', { spec: { choice: { labels: { a: 'b' } } } });
  assert.deepEqual(server.owners['m1 Apply'], { 'f:spec': { 'f:choice': {} } });
  assert.match(conflictsOf(() => server.apply('m2', { spec: { choice: { labels: { c: 'd' } } } })).message, /\.spec\.choice$/);
});

test('an object that was never applied belongs to before-first-apply, but for what such a write cannot change', () => {
  const server = new Server();
  server.update('old', { data: { a: '1', b: '1' }, status: { ready: 1 } });
  server.change('old', { metadata: { managedFields: [{}] } });
  assert.match(conflictsOf(() => server.apply('m', { data: { a: '2' } })).message, /"before-first-apply" using v1: \.data\.a$/);
  server.apply('m', { data: { a: '1' } });
  assert.deepEqual(Object.keys(server.owners), ['m Apply', 'before-first-apply Update']);
  assert.deepEqual(Object.keys(server.owners['before-first-apply Update'] as Json), ['f:data', 'f:spec']);
});

test('an apply that says the same again changes nothing', () => {
  const server = new Server();
  const config = { data: { a: '1' }, spec: { ports: [{ port: 80 }], zones: ['z'] } };
  server.apply('m', config);
  const before = JSON.stringify(server.live);
  server.apply('m', config);
  assert.equal(JSON.stringify(server.live), before);
});

test('what client-side apply set is taken over by kubectl without conflict, and by nobody else', () => {
  const applied = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, data: { a: '1', b: '1' } };
  const start = (): Server => {
    const server = new Server();
    server.update('kubectl-client-side-apply', { data: { a: '1', b: '1' }, metadata: { annotations: { [LAST_APPLIED]: JSON.stringify(applied) } } });
    return server;
  };
  const server = start();
  server.apply('kubectl', { data: { a: '2', b: '1' } });
  assert.deepEqual(server.live?.['data'], { a: '2', b: '1' });
  const annotation = (server.live as unknown as { metadata: { annotations: Record<string, string> } }).metadata.annotations[LAST_APPLIED]!;
  assert.deepEqual((JSON.parse(annotation) as Json)['data'], { a: '2', b: '1' });
  assert.match(conflictsOf(() => start().apply('other', { data: { a: '2' } })).message, /1 conflict/);
  const changed = start();
  changed.change('edit', { data: { a: '9', b: '1' } });
  assert.match(conflictsOf(() => changed.apply('kubectl', { data: { a: '2', b: '2' } })).message, /1 conflict: conflict with "edit"/);
});

test('what client-side apply is said to have set settles nothing when it cannot be read or speaks of something else', () => {
  const told = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, data: { a: '1' } };
  const applyOver = (text: string): Server => {
    const server = new Server();
    server.update('old', { data: { a: '1' }, metadata: { annotations: { [LAST_APPLIED]: text } } });
    server.apply('kubectl', { data: { a: '2' } });
    return server;
  };
  // Whether its values can be read does not matter.
  for (const text of [told, { ...told, spec: { size: 1.5 } }]) assert.deepEqual(applyOver(JSON.stringify(text)).live?.['data'], { a: '2' });
  const others = [{ ...told, apiVersion: 'v2' }, { ...told, kind: 'Other' }, { ...told, kind: undefined }, { ...told, bogus: 1 }, { ...told, data: { a: 1 } }, { ...told, data: {} }, [told]];
  for (const text of ['', '{', ...others.map((other) => JSON.stringify(other))]) {
    assert.match(conflictsOf(() => applyOver(text)).message, /1 conflict: conflict with "old"/, text);
  }
});

test('an applier who sends along what client-side apply keeps does not keep that inside itself', () => {
  const server = new Server();
  server.apply('kubectl', { data: { a: '1' }, metadata: { annotations: { [LAST_APPLIED]: 'x', other: 'y' } } });
  const annotations = server.live?.metadata['annotations'] as Json | undefined;
  assert.deepEqual(annotations?.[LAST_APPLIED], '{"apiVersion":"v1","data":{"a":"1"},"kind":"Thing","metadata":{"annotations":{"other":"y"},"name":"a"}}\n');
});

test('who applies what it applied before stays as it was, though client-side apply is told again', () => {
  const server = new Server();
  const applied = (): unknown => server.live?.metadata.managedFields?.find(({ operation }) => operation === 'Apply');
  server.apply('kubectl', { data: { a: '1' } });
  const before = applied();
  server.change('edit', { metadata: { annotations: { [LAST_APPLIED]: '{}' } } });
  const { annotations } = server.apply('kubectl', { data: { a: '1' } }).metadata;
  assert.match((annotations as Json)[LAST_APPLIED] as string, /"data":\{"a":"1"\}/);
  assert.deepEqual(applied(), before);
});

test('what client-side apply is told of an apply by kubectl: sorted, with all digits, and nothing where there is no room', () => {
  const server = new Server();
  const annotationOf = (): unknown => (server.live?.metadata['annotations'] as Json | undefined)?.[LAST_APPLIED];
  server.update('kubectl-client-side-apply', { metadata: { annotations: { [LAST_APPLIED]: '{}' } } });
  server.apply('kubectl', { spec: { zones: ['z'] }, data: { b: '<b>', a: '1' }, metadata: { generation: 9007199254740993n } }, true);
  const data = '{"a":"1","b":"\\u003cb\\u003e"}';
  const text = `{"apiVersion":"v1","data":${data},"kind":"Thing","metadata":{"generation":9007199254740993,"name":"a"},"spec":{"zones":["z"]}}\n`;
  assert.equal(annotationOf(), text);
  server.apply('kubectl', { data: { a: 'é'.repeat(MAX_ANNOTATIONS_BYTES / 2) } }, true);
  assert.equal(annotationOf(), undefined);
});

test('R4.9-09 configs that cannot be applied', () => {
  const rows: readonly (readonly [Json, number, RegExp])[] = [
    [{ apiVersion: 'v2' }, 400, /Specified patch version: v2, expected: v1/],
    [{ kind: 'Other' }, 500, /Other/],
    [{ metadata: { managedFields: [{ manager: 'x' }] } }, 400, /managedFields must be nil/],
    [{ data: { a: 1 } }, 500, /data\.a/],
    [{ unknown: 1 }, 500, /\.unknown: field not declared in schema/],
    [{ spec: { zones: ['a', 'a'] } }, 500, /duplicate entries for key \[="a"\]/],
    [{ spec: { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] } }, 500, /duplicate entries for key \[port=1,protocol="TCP"\]/],
  ];
  for (const [config, code, message] of rows) {
    assert.throws(
      () => new Server().apply('m', config),
      (error: unknown) => error instanceof ApiError && error.code === code && message.test(error.message),
    );
  }
});

test('disjoint appliers commute, and leave no trace when they go', () => {
  const part = fc.record({ ports: fc.uniqueArray(fc.nat(3)), zones: fc.uniqueArray(fc.constantFrom('p', 'q')) });
  const config = (name: string, one: { ports: readonly number[]; zones: readonly string[] }, offset: number): Json => ({
    data: { [name]: name },
    spec: { ports: one.ports.map((port) => ({ port: port + offset })), zones: one.zones.map((zone) => name + zone) },
  });
  const sorted = (server: Server): unknown => {
    const spec = (server.live?.['spec'] ?? {}) as { ports?: { port: number }[]; zones?: string[] };
    return [server.live?.['data'] ?? null, [...(spec.ports ?? [])].sort((a, b) => a.port - b.port), [...(spec.zones ?? [])].sort(), server.owners['a Apply'] ?? null, server.owners['b Apply'] ?? null];
  };
  fc.assert(
    fc.property(part, part, (one, two) => {
      const ab = new Server();
      ab.apply('a', config('a', one, 0));
      ab.apply('b', config('b', two, 10));
      const ba = new Server();
      ba.apply('b', config('b', two, 10));
      ba.apply('a', config('a', one, 0));
      assert.deepEqual(sorted(ab), sorted(ba));
      ab.apply('a', {});
      ab.apply('b', {});
      assert.deepEqual([sorted(ab), ab.owners], [[null, [], [], null, null], {}]);
    }),
  );
});

test('R4.9-43 who owned parts of what is one piece now owns the whole', () => {
  const server = new Server();
  server.apply('m1', { spec: { choice: { labels: { a: 'b' } } } });
  server.live!.metadata.managedFields![0]!.fieldsV1 = { 'f:spec': { 'f:choice': { 'f:labels': { 'f:a': {} } } } };
  assert.match(conflictsOf(() => server.apply('m2', { spec: { choice: { labels: { c: 'd' } } } })).message, /"m1": \.spec\.choice$/);
});

test('R4.9-43 who owned parts of what is one piece by now loses it to whoever updates it', () => {
  const server = new Server();
  const choice = (value: string): Json => ({ spec: { choice: { labels: { a: value } } } });
  server.apply('m1', choice('b'));
  server.live!.metadata.managedFields![0]!.fieldsV1 = { 'f:spec': { 'f:choice': { 'f:labels': { 'f:a': {} } } } };
  server.change('m2', { data: { a: '1' } });
  assert.deepEqual(server.owners['m1 Apply'], { 'f:spec': { 'f:choice': {} } });
  server.live!.metadata.managedFields![0]!.fieldsV1 = { 'f:spec': { 'f:choice': { 'f:labels': { 'f:a': {} } } } };
  server.change('m3', choice('c'));
  assert.equal(server.owners['m1 Apply'], undefined);
  assert.match(conflictsOf(() => server.apply('m4', choice('d'))).message, /1 conflict: conflict with "m3" using v1: \.spec\.choice$/);
});

test('R2.2-18 the write that made owners of parts owners of the whole is the last one of who sent it, also where it changed nothing else', () => {
  const server = new Server();
  const parts = { 'f:spec': { 'f:choice': { 'f:labels': { 'f:a': {} } } } };
  const timesOf = (): unknown => server.live?.metadata.managedFields?.map(({ manager, time }) => [manager, time]);
  const config = { data: { b: '1' } };
  server.apply('ann', config);
  server.change('upd', { spec: { choice: { labels: { a: '1' } } } });
  const owned = server.live!.metadata.managedFields!.find(({ manager }) => manager === 'upd')!;
  owned.fieldsV1 = parts;
  server.apply('ann', config);
  assert.deepEqual(timesOf(), [['ann', '2024-01-01T00:00:03Z'], ['upd', '2024-01-01T00:00:02Z']]);
  server.live!.metadata.managedFields!.find(({ manager }) => manager === 'upd')!.fieldsV1 = parts;
  server.change('upd', { spec: { choice: { labels: { a: '2' } } } });
  assert.deepEqual(timesOf(), [['ann', '2024-01-01T00:00:03Z'], ['upd', '2024-01-01T00:00:04Z']]);
  server.apply('ann', config);
  assert.deepEqual(timesOf(), [['ann', '2024-01-01T00:00:03Z'], ['upd', '2024-01-01T00:00:04Z']]);
});

test('owners are compared in the words of their own version', () => {
  class Old extends t.message('Old', { data: t.map(1, stringScalar), amount: t.int32(2) }) {}
  const old = objectTypeOf(Old);
  const forms: VersionForms = (apiVersion) => {
    if (apiVersion === 'gone') return undefined;
    if (apiVersion === 'v1') return { type, fromStorage: (object) => object, toStorage: (object) => object };
    return {
      type: old,
      fromStorage: ({ spec, status: _status, ...rest }) => ({ ...rest, amount: (spec as Json)['size'] }),
      toStorage: ({ amount, ...rest }) => ({ ...rest, spec: { size: amount }, status: {} }),
    };
  };
  const base = { type, manager: 'n', subresource: '', nowMs: DAY_ONE, forms };
  const entry = (apiVersion: string, fieldsV1: Json): Json => ({ manager: 'o', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1 });
  const live = normal({ spec: { size: 1 }, metadata: { managedFields: [entry('v0', { 'f:amount': {}, 'f:data': {} }), entry('gone', { 'f:x': {} })] } });
  const next = normal({ spec: { size: 2 } });
  const tracked = track({ ...base, live, next, apiVersion: 'v1' }) as unknown as Stored;
  assert.deepEqual(
    tracked.metadata.managedFields?.map((one) => [one.manager, one.fieldsV1]),
    [
      ['o', { 'f:data': {} }],
      ['n', { 'f:spec': { 'f:size': {} } }],
    ],
  );
});

test('an apply meets the owners of what it sends and cannot change where they speak another version that has only another name, as in 1.23, and not where they speak its own', () => {
  const forms: VersionForms = (apiVersion) => (apiVersion === 'v2' ? storageForm(type) : renamedForm(type, apiVersion, 'v2'));
  const applied = (ownerVersion: string, isForced: boolean): readonly unknown[] => {
    const entry = { manager: 'o', operation: 'Update', apiVersion: ownerVersion, fieldsType: 'FieldsV1', fieldsV1: { 'f:status': { 'f:ready': {} } }, subresource: 'status' };
    const live = normal({ apiVersion: 'v2', status: { ready: 1 }, metadata: { managedFields: [entry] } });
    const config = { apiVersion: 'v2', kind: 'Thing', metadata: { name: 'a' }, data: { a: '1' }, status: { ready: 2 } };
    const { object } = apply({ type, live, config, manager: 'm', isForced, apiVersion: 'v2', kind: 'Thing', subresource: '', nowMs: DAY_ONE, defaults() {}, resetFields: reset(''), forms });
    return (object as Stored).metadata.managedFields!.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
  };
  const mine = ['m', { 'f:data': { 'f:a': {} } }];
  assert.deepEqual(applied('v2', false), [mine, ['o', { 'f:status': { 'f:ready': {} } }]]);
  assert.match(conflictsOf(() => applied('v1', false)).message, /"o" with subresource "status" using v1: \.status\.ready$/);
  assert.deepEqual(applied('v1', true), [mine]);
});

test('neither object of a write is changed', () => {
  const live = normal({ data: { a: '1' }, metadata: { managedFields: [] } });
  const next = normal({ data: { a: '2' } });
  const before = JSON.stringify([live, next]);
  track({ type, live: undefined, next, manager: 'm', apiVersion: 'v1', subresource: '', nowMs: 0 });
  apply({ type, live, config: { apiVersion: 'v1', kind: 'Thing', data: { a: '3' } }, manager: 'm', isForced: true, apiVersion: 'v1', kind: 'Thing', subresource: '', nowMs: 0, defaults() {} });
  assert.equal(JSON.stringify([live, next]), before);
});
