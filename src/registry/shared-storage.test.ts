import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, systemClock } from '#base';
import { brandOf, createCatalog, defineKind, type ApiObject, type HookContext } from '#api';
import { t } from '#schema';
import { openEngine, type Engine, type Write } from '#storage';
import { create, get, openRegistries, update, type Guard, type Registry } from './index.ts';

class Old extends t.message('core/v1.Note', { text: t.string(1), status: t.string(2) }) {}
class New extends t.message('notes/v1.Note', { words: t.string(1), status: t.string(2) }) {}

const seen: HookContext[] = [];

const shape = { kind: 'Note', plural: 'notes', scope: 'Namespaced', storage: 'v1', ttlSeconds: 60 } as const;
const OldNote = defineKind(Old, {
  ...shape,
  group: '',
  versions: { v1: { schema: Old } },
  subresources: { status: { verbs: ['update'], writes: ['status'], isKeptOnCreate: true } },
  prepare: (_next, _live, context) => void seen.push(context),
});
const NewNote = defineKind(Old, { ...shape, group: 'notes', versions: { v1: { schema: New } }, storedAs: OldNote });

const guard: Guard = { dryRun: false, subresource: '', warn: () => {}, check: () => Promise.resolve() };
const note = (): ApiObject & { text: string; status: string } =>
  ({ kind: 'Note', apiVersion: 'v1', metadata: { namespace: 'n', name: 'a' }, text: 'x', status: 's' }) as never;
const KEY = { namespace: 'n', name: 'a' };

/** An engine that keeps what is written to it. */
function listenTo(engine: Engine, writes: Write[]): Engine {
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => {
        if (name === 'commit') writes.push(values[0] as Write);
        return Reflect.apply(member, target, values) as unknown;
      };
    },
  });
}

async function open(work: (old: Registry, other: Registry, writes: readonly Write[]) => Promise<void>): Promise<void> {
  const engine = await openEngine('memory://', { historySeconds: 300, clock: systemClock, log: silentLog });
  const writes: Write[] = [];
  const catalog = createCatalog([OldNote, NewNote], brandOf('orch'));
  const registries = openRegistries(catalog, listenTo(engine, writes), systemClock);
  const [old, other] = [catalog.find('', 'v1', 'notes'), catalog.find('notes.orch.io', 'v1', 'notes')].map((found) => {
    assert.ok(found);
    return registries.of(found.resource);
  });
  assert.ok(old && other);
  await work(old, other, writes);
  await engine.close();
}

test('two groups serve the same objects, in the storage version of one of them', () =>
  open(async (old, other) => {
    await create(old, note(), guard);
    const there = await get(other, KEY, 'latest');
    assert.equal(there.object.apiVersion, 'v1');
    await assert.rejects(create(other, note(), guard), /notes\.notes\.orch\.io "a" already exists/);
    await update(other, KEY, (live) => Promise.resolve({ ...(live ?? note()), text: 'y' } as ApiObject), guard);
    assert.equal(Reflect.get((await get(old, KEY, 'latest')).object, 'text'), 'y');
  }));

test('every write of a kind with a lifetime renews it', () =>
  open(async (old, _other, writes) => {
    await create(old, note(), guard);
    await update(old, KEY, (live) => Promise.resolve({ ...(live ?? note()), text: 'y' } as ApiObject), guard);
    assert.deepEqual(writes.map(({ ttlSeconds }) => ttlSeconds), [60, 60]);
  }));

test('hooks are told who writes and through which version', () =>
  open(async (old) => {
    seen.length = 0;
    await create(old, note(), { ...guard, user: { name: 'u', groups: [] }, version: 'v1' });
    assert.deepEqual([seen[0]?.user?.name, seen[0]?.version], ['u', 'v1']);
  }));

test('a new object may bring what a subresource writes where the kind says so; an update may not', () =>
  open(async (old) => {
    await create(old, note(), guard);
    await update(old, KEY, (live) => Promise.resolve({ ...(live ?? note()), status: 'other', text: 'z' } as ApiObject), guard);
    const { object } = await get(old, KEY, 'latest');
    assert.deepEqual([Reflect.get(object, 'status'), Reflect.get(object, 'text')], ['s', 'z']);
  }));
