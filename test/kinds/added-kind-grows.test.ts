// A program that brings kinds of its own stores them in another version tomorrow: what it stored yesterday is read all the same.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient, exchangeLocal, type Client } from 'orch/client';
import { defineKind, type ApiObject, type KindDefinition, type KindObject } from 'orch/kinds';
import { t } from 'orch/schema';
import { startTestServer, TEST_TOKENS } from 'orch/testing';

class Old extends t.message('example/v1.Box', { size: t.int32(2).required() }) {}
class New extends t.message('example/v2.Box', { width: t.int32(2).required(), height: t.int32(3).required() }) {}
type OldBox = KindObject<Old>;
type NewBox = KindObject<New>;

function up(object: ApiObject): NewBox {
  const { size, ...rest } = object as OldBox;
  return { ...rest, width: size, height: size };
}
function down(object: ApiObject): OldBox {
  const { width, height, ...rest } = object as NewBox;
  return { ...rest, size: Math.max(width, height) };
}

const FACTS = { group: 'boxes.example.com', kind: 'Box', plural: 'boxes', scope: 'Namespaced' } as const;
const Yesterday = defineKind(Old, { ...FACTS, versions: { v1: { schema: Old } }, storage: 'v1' });
const Today = defineKind(New, { ...FACTS, versions: { v2: { schema: New }, v1: { schema: Old, up, down } }, storage: 'v2' });
const Tomorrow = defineKind(New, { ...FACTS, versions: { v2: { schema: New } }, storage: 'v2', retired: { v1: { schema: Old, up } } });

const store = `lmdb://${mkdtempSync(join(tmpdir(), 'orch-grown-kind-'))}`;
after(() => rmSync(store.slice('lmdb://'.length), { recursive: true }));

async function withServer(kind: KindDefinition<never>, use: (client: Client) => Promise<unknown>): Promise<void> {
  await using server = await startTestServer({ kinds: [kind as unknown as KindDefinition], store, controllers: 'none', aggregateRoles: false });
  await use(createClient(exchangeLocal(server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' }));
}

test('objects stored in an older version are read in every version that there is, and in the newer one once the older is retired', async () => {
  const first = { namespace: 'default', name: 'first' };
  const second = { namespace: 'default', name: 'second' };
  await withServer(Yesterday, (client) => client.of(Yesterday).create({ metadata: first, size: 3 }));
  await withServer(Today, async (client) => {
    const { items } = await client.of(Today).list();
    assert.deepEqual(items.map(({ apiVersion, width, height }) => [apiVersion, width, height]), [['boxes.example.com/v2', 3, 3]]);
    assert.equal((await client.of(Yesterday).get(first)).size, 3);
    await client.of(Today).create({ metadata: second, width: 1, height: 2 });
    const wider = await client.of(Today).update({ ...(await client.of(Today).get(first)), width: 4 });
    assert.deepEqual([wider.width, wider.height, wider.metadata.uid], [4, 3, items[0]?.metadata.uid]);
  });
  await withServer(Tomorrow, async (client) => {
    const { items } = await client.of(Tomorrow).list();
    assert.deepEqual(items.map(({ metadata, width, height }) => [metadata.name, width, height]), [['first', 4, 3], ['second', 1, 2]]);
  });
  // What a newer program wrote is not taken for what an older one knows.
  await withServer(Yesterday, (client) => assert.rejects(client.of(Yesterday).get(second), /the store holds an entry that cannot be read/));
});
