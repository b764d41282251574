import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { linesOf, start } from '../cli/orch-command.ts';
import { ApiConnection } from './api-connection.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const WORKERS = 3;
const WRITERS = 4;
/** How often each place among the workers loses its process. */
const KILLS = 3;
const WITHOUT_PROC = process.platform === 'linux' ? false : 'only Linux says which processes a process has started';

const cwd = mkdtempSync(join(tmpdir(), 'orch-workers-'));
after(() => rmSync(cwd, { recursive: true }));

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** The column of /proc/net/tcp that names the socket. */
const INODE = 9;

/** The socket that listens on a port of 127.0.0.1, as the files of those who have it show it. */
function listeningOn(port: number): string {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').map((line) => line.trim().split(/\s+/));
  const listening = rows.find(([, address, , state]) => address === local && state === '0A') ?? [];
  return `socket:[${listening[INODE]}]`;
}

/** Whether a worker has a file open. Until it runs its own program, a process that was just begun has all files of its parent. */
function hasOpen(pid: number, file: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes('\0ORCH_WORKER=')) return false;
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file);
  } catch {
    // It ended, or closed one of them, meanwhile.
    return false;
  }
}

/** Stops a process. Until the system says that it has, it may still accept a connection. */
async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  while (!/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) await new Promise((resolve) => setImmediate(resolve));
}

/** One request on a connection of its own, so that any of the processes may be asked. */
async function ask(url: string, method: string, path: string, body?: object): ReturnType<ApiConnection['send']> {
  const connection = new ApiConnection(url, join(cwd, 'orch-data'));
  try {
    return await connection.send(method, path, body);
  } finally {
    connection.close();
  }
}

describe('several processes on one store and one address', { skip: WITHOUT_PROC }, () => {
  it('show each other at once what they write, go on without one that is killed, and lose nothing', { timeout: 120_000 }, async () => {
    const server = start(['serve', '--secure-port=0', '--data-dir=orch-data', '--controllers=none', `--workers=${WORKERS}`], { cwd });
    const exit = once(server, 'exit');
    const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
    const counts = Array.from({ length: WRITERS }, () => 0);
    const life = { isOver: false };

    /** Counts up in an object of its own and reads, through whatever process answers, what it wrote. */
    const write = async (writer: number): Promise<void> => {
      const path = `${COLLECTION}/writer-${writer}`;
      const object = (n: number): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `writer-${writer}` }, data: { n: String(n) } });
      while (!life.isOver) {
        const n = (counts[writer] ?? 0) + 1;
        // A process that is killed takes its connections along, and what it was about to do may be done or not.
        const written = await (n === 1 ? ask(url, 'POST', COLLECTION, object(n)) : ask(url, 'PUT', path, object(n))).catch(() => undefined);
        const read = await ask(url, 'GET', path).catch(() => undefined);
        if (read !== undefined && written !== undefined) assert.equal(read.data.n, String(n));
        counts[writer] = Math.max(counts[writer] ?? 0, written === undefined ? 0 : n, read === undefined ? 0 : Number(read.data.n));
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const grown = async (): Promise<void> => {
      const from = [...counts];
      while (counts.some((count, i) => count < (from[i] ?? 0) + 3)) await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), ...writers]);
    };

    try {
      for (let kill = 0; kill < KILLS * WORKERS; kill++) {
        await grown();
        while (childrenOf(server.pid ?? 0).length < WORKERS) await new Promise((resolve) => setTimeout(resolve, 20));
        const [oldest] = childrenOf(server.pid ?? 0);
        process.kill(oldest!, 'SIGKILL');
      }
      await grown();
      life.isOver = true;
      await Promise.all(writers);
      for (const [writer, count] of counts.entries()) assert.equal((await ask(url, 'GET', `${COLLECTION}/writer-${writer}`)).data.n, String(count));
    } finally {
      life.isOver = true;
      server.kill('SIGTERM');
      await Promise.allSettled([...writers, exit]);
    }
    assert.deepEqual(await exit, [0, null]);
  });

  it('that begin after the first leave the kubeconfig as it was changed meanwhile', { timeout: 60_000 }, async () => {
    const server = start(['serve', '--secure-port=0', '--data-dir=changed', '--controllers=none', '--workers=2', '--kubeconfig-out=changed.kubeconfig'], { cwd });
    const exit = once(server, 'exit');
    let err = '';
    server.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    const [, port = ''] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(await linesOf(server)()) ?? [];
    const [first] = childrenOf(server.pid ?? 0);
    const path = join(cwd, 'changed.kubeconfig');
    assert.match(readFileSync(path, 'utf8'), new RegExp(`https://127\\.0\\.0\\.1:${port}`));
    writeFileSync(path, 'of somebody else');
    const socket = listeningOn(Number(port));
    const left = new Set([first]);
    // Only of a worker that has served is it said that another one takes its place: it had written by then what it writes.
    for (let waitMs = 20; !err.includes('another one takes its place'); waitMs += 20) {
      const later = childrenOf(server.pid ?? 0).find((pid) => !left.has(pid) && hasOpen(pid, socket));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (later === undefined) continue;
      // What was killed can be seen for a while.
      left.add(later);
      process.kill(later, 'SIGKILL');
    }
    assert.equal(readFileSync(path, 'utf8'), 'of somebody else');
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  it('all take connections at the address that the first one chose', { timeout: 60_000 }, async () => {
    const server = start(['serve', '--secure-port=0', '--data-dir=chosen', '--controllers=none', '--workers=2'], { cwd });
    const exit = once(server, 'exit');
    const complaint = once(server.stderr, 'data').then((chunks) => assert.fail(String(chunks)));
    const [, port = ''] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(await linesOf(server)()) ?? [];
    const socket = listeningOn(Number(port));
    while (childrenOf(server.pid ?? 0).filter((pid) => hasOpen(pid, socket)).length < 2) {
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 20)), complaint]);
    }
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  it('keep both ports where the only one that serves dies while another begins', { timeout: 60_000 }, async () => {
    const server = start(['serve', '--secure-port=0', '--insecure-port=0', '--data-dir=begins', '--controllers=none', '--workers=2'], { cwd });
    const exit = once(server, 'exit');
    let err = '';
    server.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    const line = linesOf(server);
    const [, port = ''] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(await line()) ?? [];
    const [, insecurePort = ''] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(await line()) ?? [];
    const [first = 0] = childrenOf(server.pid ?? 0);
    // Where the supervisor had not yet heard of the other one, the port gets another socket.
    const withPort = (number: string): readonly number[] => {
      const socket = listeningOn(Number(number));
      return childrenOf(server.pid ?? 0).filter((pid) => pid !== first && hasOpen(pid, socket));
    };
    while (withPort(port).length < 1) await new Promise((resolve) => setImmediate(resolve));
    process.kill(first, 'SIGKILL');
    for (const number of [port, insecurePort]) {
      while (withPort(number).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    // It is begun anew where the supervisor had not yet heard of it, and then that is told, too.
    const told = err.split('\n').filter((line) => !/^worker \d+ (has not got port \d+ open and is ended|ended \(SIGKILL\) before it served)$/.test(line));
    assert.deepEqual(told, [`worker ${first} ended (SIGKILL): another one takes its place`, '']);
  });

  it('say so where the first one is killed before it serves, and end', { timeout: 60_000 }, async () => {
    const server = start(['serve', '--secure-port=0', '--data-dir=killed', '--controllers=none', '--workers=2'], { cwd });
    const closed = once(server, 'close');
    let err = '';
    server.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    while (childrenOf(server.pid ?? 0).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [first = 0] = childrenOf(server.pid ?? 0);
    process.kill(first, 'SIGKILL');
    assert.deepEqual(await closed, [1, null]);
    assert.equal(err, `worker ${first} ended (SIGKILL) before it served\n`);
  });

  it('go on without the one that writes where it hangs, and end though one of them does not', { timeout: 60_000 }, async () => {
    const server = start(['serve', '--secure-port=0', '--data-dir=orch-data', '--controllers=none', '--workers=2', '--shutdown-grace-seconds=1'], { cwd });
    const exit = once(server, 'exit');
    let err = '';
    server.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    const [url = '', port = ''] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(await linesOf(server)()) ?? [];
    const socket = listeningOn(Number(port));
    const bothServe = async (): Promise<readonly number[]> => {
      for (;;) {
        const serving = childrenOf(server.pid ?? 0).filter((pid) => hasOpen(pid, socket));
        if (serving.length === 2) return serving;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const [writer, other] = await bothServe();
    await suspend(writer!);
    const written = await ask(url, 'POST', COLLECTION, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'while-one-hangs' } });
    assert.equal(written.metadata.name, 'while-one-hangs');
    assert.match(err, new RegExp(`^worker ${writer} hangs and is ended$`, 'm'));
    await bothServe();
    await suspend(other!);
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    assert.match(err, new RegExp(`^worker ${other} hangs and is ended$`, 'm'));
  });

  it('are refused where the store belongs to one process', async () => {
    const server = start(['serve', '--secure-port=0', '--store=memory://', '--workers=2'], { cwd });
    let err = '';
    server.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    assert.deepEqual(await once(server, 'exit'), [2, null]);
    assert.match(err, /--workers=2: a store memory:\/\/ belongs to one process/);
  });
});
