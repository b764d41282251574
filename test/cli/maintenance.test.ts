import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { linesOf, orch, start } from './orch-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'orch-upkeep-'));
const servers: ReturnType<typeof start>[] = [];
after(() => {
  for (const server of servers) server.kill('SIGKILL');
  rmSync(cwd, { recursive: true });
});

/** Starts a server on a data folder and waits until it says how to reach it. */
async function serve(folder: string, flags: readonly string[] = []): Promise<(signal?: NodeJS.Signals) => Promise<unknown>> {
  const server = start(['serve', '--secure-port=0', `--data-dir=${folder}`, `--kubeconfig-out=${folder}.kubeconfig`, '--controllers=none', ...flags], { cwd });
  servers.push(server);
  await linesOf(server)();
  const exit = once(server, 'exit');
  return (signal = 'SIGTERM') => {
    server.kill(signal);
    return exit;
  };
}

describe('backup, restore and check', () => {
  it('copy the store of a running server, make a new one of the copy, and verify each', async () => {
    const stop = await serve('one');
    const object = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const created = await orch(['create', '-f', '-', '--kubeconfig=one.kubeconfig'], { cwd, input: object('kept') });
    assert.equal(created.code, 0, created.err);
    const made = await orch(['backup', 'a.backup', '--data-dir=one'], { cwd });
    assert.match(`${made.code} ${made.err}${made.out}`, /^0 a\.backup: \d+ entries as of revision \d+\n$/);
    assert.equal(made.err, '');
    assert.equal(statSync(join(cwd, 'a.backup')).mode & 0o777, 0o600);
    const checked = await orch(['check', '--data-dir=one'], { cwd });
    assert.match(`${checked.code} ${checked.out}`, /^0 lmdb:\/\/one\/store\/orch: \d+ entries as of revision \d+, nothing is wrong\n$/);
    const refused = await orch(['restore', 'a.backup', '--data-dir=one'], { cwd });
    assert.match(`${refused.code} ${refused.err}`, /^1 orch: the folder one\/store\/orch is not empty/);
    await stop();

    const restored = await orch(['restore', 'a.backup', '--data-dir=two'], { cwd });
    assert.match(`${restored.code} ${restored.out}`, /^0 two\/store\/orch: \d+ entries, goes on from revision 1000000\d+\n$/);
    const stopTwo = await serve('two');
    assert.match((await orch(['get', 'namespaces', '--kubeconfig=two.kubeconfig'], { cwd })).out, /^kept /m);
    await stopTwo();
  });

  it('name the dialect that a store or a backup has, where it is another one: what is restored into the wrong folder no server finds', async () => {
    const stop = await serve('clients', ['--dialect=kubernetes']);
    await stop();
    for (const command of [['backup', 'wrong.backup'], ['check']]) {
      const { code, err } = await orch([...command, '--data-dir=clients'], { cwd });
      assert.match(`${code} ${err}`, /^2 orch: the store in clients is one of the dialect kubernetes, not of orch: give --dialect=kubernetes\n/);
    }
    const made = await orch(['backup', 'clients.backup', '--data-dir=clients', '--dialect=kubernetes'], { cwd });
    assert.equal(made.code, 0, made.err);
    const refused = await orch(['restore', 'clients.backup', '--data-dir=clients-too'], { cwd });
    assert.match(`${refused.code} ${refused.err}`, /^2 orch: clients\.backup is a backup of the dialect kubernetes, not of orch: give --dialect=kubernetes\n/);
    const restored = await orch(['restore', 'clients.backup', '--data-dir=clients-too', '--dialect=kubernetes'], { cwd });
    assert.equal(restored.code, 0, restored.err);
    const served = await orch(['serve', '--store=lmdb://clients-too/store/kubernetes', '--secure-port=0', '--data-dir=clients-too'], { cwd });
    assert.match(`${served.code} ${served.err}`, /^2 orch: --dialect: the store was written in the dialect kubernetes, and this server speaks orch: give it that dialect, or another store\n/);
    assert.deepEqual(readdirSync(cwd).filter((name) => name === 'wrong.backup'), []);
  });

  it('say that they wait for a server which does not answer, can be stopped then, and leave nothing', { timeout: 60_000 }, async () => {
    const send = await serve('slow');
    void send('SIGSTOP');
    for (const [command, code] of [[['backup', 'slow.backup'], 143], [['check'], null]] as const) {
      const waiting = start([...command, '--data-dir=slow'], { cwd });
      const [told] = (await once(waiting.stderr, 'data')) as [Buffer];
      assert.match(String(told), /^orch: still waiting: process \d+, which writes to the store \S+, does not answer: continue it or end it\n$/);
      waiting.kill('SIGTERM');
      assert.equal(((await once(waiting, 'exit')) as [number | null])[0], code, command[0]);
    }
    assert.deepEqual(readdirSync(cwd).filter((name) => name.startsWith('slow.backup')), []);
    void send('SIGCONT');
    await send();
  });

  it('fail with 1 for what is damaged and with 2 for what makes no sense', async () => {
    writeFileSync(join(cwd, 'cut.backup'), readFileSync(join(cwd, 'a.backup')).subarray(0, -1));
    mkdirSync(join(cwd, 'empty/store/orch'), { recursive: true });
    writeFileSync(join(cwd, 'empty/store/orch/orch.mdb'), '');
    for (const [args, code, told] of [
      [['check', '--data-dir=empty'], 1, /^orch: the store \S+orch\.mdb is empty: no server has written to it yet, or what it held is lost/],
      [['check', 'cut.backup'], 1, /the backup cut\.backup is damaged: its end is missing/],
      [['restore', 'cut.backup', '--data-dir=three'], 1, /is damaged/],
      [['check', '--data-dir=none'], 1, /there is no store in the folder none\/store\/orch/],
      [['backup', 'b.backup', '--store=memory://'], 2, /--store: nothing to back up in a memory store/],
      [['check', '--store=foo'], 2, /--store: no storage engine for "foo"/],
      [['restore', 'a.backup', '--store=etcd://a:1'], 2, /--store: nothing to restore in an etcd store/],
      [['check', 'one'], 1, /the backup one cannot be read: it is a folder, and a backup is a file/],
      [['check', 'none.backup'], 1, /the backup none\.backup cannot be read/],
      [['backup', 'nowhere/', '--data-dir=one'], 1, /there is no folder nowhere\/: make it first/],
      [['backup', 'nowhere/b.backup', '--data-dir=one'], 1, /there is no folder nowhere: make it first/],
      [['restore', 'a.backup', '--store=lmdb://'], 2, /--store: the store needs a folder: lmdb:\/\/<folder>/],
      [['backup'], 2, /say where the backup goes/],
      [['backup', '-'], 2, /not to standard output/],
      [['restore'], 2, /say which backup/],
      [['restore', '', '--data-dir=three'], 2, /say which backup/],
      [['check', ''], 2, /the name of the backup is empty/],
      [['check', 'a', 'b'], 2, /unexpected word "b"/],
    ] as const) {
      const { code: got, err } = await orch(args, { cwd });
      assert.equal(got, code, err);
      assert.match(err, told);
    }
    assert.deepEqual(readdirSync(cwd).filter((name) => ['three', 'b.backup', 'nowhere'].some((beginning) => name.startsWith(beginning))), []);
  });
});
