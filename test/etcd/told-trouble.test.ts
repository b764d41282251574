import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { openEngine, type Engine } from '#storage';
import { ScriptedEtcd } from './scripted-etcd.ts';

/** An answer of cluster 1 at revision 9. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);

test('the log says why etcd cannot be used by a server that runs, once, and that it answers again; a start and an end log nothing', async (t) => {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => etcd.close());
  const lines: unknown[] = [];
  const note = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => void lines.push([message, fields['cause']]);
  const open = (): Promise<Engine> => openEngine(`etcd://${etcd.address}`, { log: { info: note, warn: note, error: note } });
  const write = (engine: Engine): Promise<unknown> => engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') });
  const engine = await open();
  await write(engine);
  etcd.script = () => ({ code: status.UNAVAILABLE, details: 'etcdserver: no leader' });
  for (let i = 0; i < 3; i++) await assert.rejects(write(engine));
  assert.deepEqual(lines.splice(0), [
    ['etcd cannot be used just now', 'etcd: a call failed: etcdserver: no leader. Perhaps too few of its members run: it answers while more than half of them do'],
  ]);
  etcd.script = () => AT_NINE;
  for (let i = 0; i < 3; i++) await write(engine);
  assert.deepEqual(lines.splice(0), [['etcd answers again', undefined]]);
  etcd.script = () => undefined;
  const late = assert.rejects(engine.head(), /closed/);
  await engine.close();
  await late;
  etcd.script = () => ({ code: status.PERMISSION_DENIED, details: 'etcdserver: permission denied' });
  await assert.rejects(open());
  assert.deepEqual(lines, []);
});
