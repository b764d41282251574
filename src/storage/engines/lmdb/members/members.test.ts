import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { deferred, nextTurn, StillClock, systemClock, type Clock } from '#base';
import { engineSuite, HISTORY_SECONDS } from '../../../engine-suite.ts';
import type { Change, Commit, Engine, Write } from '../../../engine.ts';
import { StorageFailure } from '../../../storage-failure.ts';
import { FILE, openTables } from '../database.ts';
import { HELD_LONG_MS } from '../limits.ts';
import { OpenLock } from '../open-lock.ts';
import { driver } from '../index.ts';
import { openSnapshot } from '../snapshot.ts';
import { count, countAt, type Counted } from './counting.fixture.ts';
import { encodeFrame, FrameReader, type MemberRequest, type Frame } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';

/** Opens the stores whose folders it reads, one a line, and then counts up in each as often as the line says. */
const PROGRAM = `
  const { driver } = await import(${JSON.stringify(new URL('../index.js', import.meta.url).href)});
  const { count } = await import(${JSON.stringify(new URL('./counting.fixture.js', import.meta.url).href)});
  const clock = { nowMs: () => Date.now(), after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); } };
  const engines = new Map();
  for await (const line of (await import('node:readline')).createInterface({ input: process.stdin })) {
    const { folder, writes, close } = JSON.parse(line);
    if (!engines.has(folder)) engines.set(folder, await driver.open({ location: folder, historySeconds: ${HISTORY_SECONDS}, isShared: true, clock, log() {} }));
    const counted = await count(engines.get(folder), writes);
    if (close) await engines.get(folder).close();
    console.log(JSON.stringify(counted));
  }
`;

class OtherProcess {
  /** Those that live: a test that failed has not killed its own. */
  static readonly #living = new Set<ChildProcess>();
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  static killAll(): void {
    for (const child of OtherProcess.#living) child.kill('SIGKILL');
  }

  constructor() {
    this.#child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
    OtherProcess.#living.add(this.#child);
    this.#child.once('exit', () => OtherProcess.#living.delete(this.#child));
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async do(order: { readonly folder: string; readonly writes?: number; readonly close?: boolean }): Promise<Counted> {
    this.#child.stdin!.write(`${JSON.stringify({ writes: 0, ...order })}\n`);
    const { value } = await this.#answers.next();
    return JSON.parse(String(value)) as Counted;
  }

  /** From now on it does nothing, and answers nobody. */
  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-'));
  folders.push(folder);
  return folder;
};
const clean = async (): Promise<void> => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
};
const joinIn = (location: string, clock: Clock = systemClock): Promise<Engine> =>
  driver.open({ location, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: () => {} });

/** Stands in for the process that writes to the store of a folder: lets others open it, and join it so often, and passes on what they ask for then. */
async function standIn(context: TestContext, folder: string, asked: (socket: Socket, message: MemberRequest) => void, joins = Infinity): Promise<Server> {
  let left = joins;
  await (await joinIn(folder)).close();
  const owner = createServer({ allowHalfOpen: true }, (socket) => {
    onFrames<MemberRequest>(socket, ({ message }) => {
      if (message.ask === 'hold') sendFrame(socket, { message: { tell: 'held' } });
      else if (message.ask === 'join' && left-- > 0) sendFrame(socket, { message: { tell: 'head', head: 1 } });
      else asked(socket, message);
    });
  }).listen(join(folder, 'owner-0'));
  context.after(() => owner.close());
  await once(owner, 'listening');
  await writeFile(join(folder, 'owner.json'), JSON.stringify({ id: 'gone', pid: 1, started: '', world: '', socket: 'owner-0', isShared: true }));
  return owner;
}

/** A member whose write was taken by a process that is then found dead by all others; the member finds that out when `line` is destroyed. */
async function askOneThatDies(context: TestContext, folder: string, write: Write): Promise<{ readonly engine: Engine; readonly outcome: Promise<Commit>; readonly line: Socket }> {
  const asked = deferred<Socket>();
  const owner = await standIn(context, folder, (socket) => asked.resolve(socket));
  const engine = await joinIn(folder);
  const outcome = engine.commit(write);
  const line = await asked.promise;
  owner.close();
  return { engine, outcome, line };
}

/** Another process that takes the place of the one that wrote to the store of a folder, and has carried out `work` with it, the `follower`. */
async function followIt(context: TestContext, folder: string, work: string): Promise<void> {
  const program = `
    const { driver } = await import(${JSON.stringify(new URL('../index.js', import.meta.url).href)});
    const follower = await driver.open({ location: process.argv[1], historySeconds: 300, isShared: true, clock: { nowMs: () => 0, after: () => () => {} }, log() {} });
    ${work}
    console.log('done');
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

const writer = new OtherProcess();
let last = '';
engineSuite('lmdb, through another process', {
  open: async (clock) => {
    last = await makeFolder();
    await writer.do({ folder: last });
    return joinIn(last, clock);
  },
  reopen: (clock) => joinIn(last, clock),
  clean: async () => {
    await writer.kill();
    await clean();
  },
  hasOwnTime: true,
});

describe('lmdb store of several processes', () => {
  after(() => OtherProcess.killAll());
  after(clean);

  it('shows each process at once what the others wrote, and all of them the same order', async () => {
    const folder = await makeFolder();
    const [first, second] = [new OtherProcess(), new OtherProcess()];
    await first.do({ folder });
    const engine = await joinIn(folder);
    const seen: Change[] = [];
    engine.follow('/', 1, { changes: (batch) => void seen.push(...batch), lost: () => {} }, new AbortController().signal);
    const written = await Promise.all([first.do({ folder, writes: 50 }), second.do({ folder, writes: 50 }), count(engine, 50)]);
    const revisions = written.flatMap((one) => one.revisions).sort((a, b) => a - b);
    assert.equal(await countAt(engine), 150);
    assert.deepEqual(revisions, Array.from({ length: 150 }, (_, i) => i + 2));
    await second.do({ folder, writes: 1 });
    assert.equal(await engine.head(), 152);
    assert.equal(await countAt(engine), 151);
    // What it writes itself is told after what was written before it.
    assert.deepEqual(await count(engine, 1), { revisions: [153], unknown: 0, refusals: 0 });
    assert.deepEqual(seen.map(({ revision }) => revision), Array.from({ length: 152 }, (_, i) => i + 2));
    await engine.close();
    await Promise.all([first.kill(), second.kill()]);
  });

  it('has its head at hand only where no other process can come to write', async () => {
    for (const [isShared, head] of [[true, undefined], [false, 1]] as const) {
      const engine = await driver.open({ location: await makeFolder(), historySeconds: HISTORY_SECONDS, isShared, clock: systemClock, log: () => {} });
      assert.equal(engine.headAtHand?.(), head, `shared: ${isShared}`);
      await engine.close();
    }
  });

  it('lets a process write a key that the one with the file writes all the time', async () => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder });
    const engine = await joinIn(folder);
    const all = first.do({ folder, writes: 1_000 });
    const { refusals } = await count(engine, 50);
    // Once as any first attempt, once before it is known to come again, and once with a state that was old when its turn began; on a busy machine again,
    // because a turn has an end. Without turns it is some hundred times.
    assert.ok(refusals <= 20, `refused ${refusals} times in a row`);
    await all;
    assert.equal(await countAt(engine), 1_050);
    await engine.close();
    await first.kill();
  });

  it('loses nothing while others open the file and close it', async () => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder });
    const counting = { isOver: false };
    const counted = first.do({ folder, writes: 300 }).finally(() => (counting.isOver = true));
    const newest: number[] = [];
    while (!counting.isOver) {
      const snapshot = await openSnapshot(folder);
      newest.push(snapshot.revision);
      await snapshot.close();
    }
    assert.deepEqual((await counted).revisions, Array.from({ length: 300 }, (_, i) => i + 2));
    assert.deepEqual(newest, newest.toSorted((a, b) => a - b));
    const engine = await joinIn(folder);
    assert.equal(await countAt(engine), 300);
    await engine.close();
    await first.kill();
  });

  it('is opened by one process while another, the last one, closes it', async () => {
    const folder = await makeFolder();
    await (await joinIn(folder)).close();
    // The lock has such a moment as well: somebody holds it.
    const lock = OpenLock.open(folder);
    const program = `
      const { openSnapshot } = await import(${JSON.stringify(new URL('../snapshot.js', import.meta.url).href)});
      for (let i = 0; i < 300; i++) await (await openSnapshot(process.argv[1])).close();
    `;
    const children = [1, 2].map(() => spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: ['ignore', 'inherit', 'inherit'] }));
    assert.deepEqual(await Promise.all(children.map((child) => once(child, 'exit'))), [[0, null], [0, null]]);
    await lock.close();
  });

  it('goes on without the process that wrote, and loses nothing that it acknowledged', async () => {
    const folder = await makeFolder();
    const processes = [new OtherProcess(), new OtherProcess(), new OtherProcess()];
    const [first, second, third] = processes as [OtherProcess, OtherProcess, OtherProcess];
    await first.do({ folder, writes: 20 });
    const engine = await joinIn(folder);
    await second.do({ folder, writes: 1 });
    await first.kill();
    const without = await Promise.all([count(engine, 20), second.do({ folder, writes: 20 }), third.do({ folder, writes: 20 })]);
    await second.kill();
    const atLast = await Promise.all([count(engine, 20), third.do({ folder, writes: 20 })]);
    const counted = [...without, ...atLast];
    const revisions = counted.flatMap((one) => one.revisions);
    assert.equal(new Set(revisions).size, 100, 'no revision is given twice');
    // Each process writes one thing at a time: of one kill it can be left in doubt about one write at most.
    for (const { unknown } of counted) assert.ok(unknown <= 1);
    const extra = (await countAt(engine)) - 121;
    assert.ok(extra >= 0 && extra <= counted.reduce((sum, { unknown }) => sum + unknown, 0), `${extra} more than were acknowledged`);
    assert.equal(await engine.head(), 122 + extra);
    await engine.close();
    await third.kill();
  });

  it('fails no write when the process that writes ends as it should', async () => {
    const folder = await makeFolder();
    const [first, second] = [new OtherProcess(), new OtherProcess()];
    await first.do({ folder });
    const engine = await joinIn(folder);
    await second.do({ folder });
    const counted = Promise.all([count(engine, 200), second.do({ folder, writes: 200 })]);
    await first.do({ folder, writes: 5, close: true });
    for (const { unknown } of await counted) assert.equal(unknown, 0);
    assert.equal(await countAt(engine), 405);
    await engine.close();
    await Promise.all([first.kill(), second.kill()]);
  });

  it('writes each of many writes once when the process that writes is killed over them, or says that it does not know', async () => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder });
    const engine = await joinIn(folder);
    const outcomes = Array.from({ length: 300 }, (_, i) =>
      engine.commit({ key: `/k/${i}`, expect: 0, value: Buffer.alloc(20_000, i) }).then(
        ({ done }) => done,
        (cause: unknown) => cause instanceof StorageFailure && /not known/.test(cause.message),
      ),
    );
    await outcomes[0];
    await first.kill();
    assert.ok((await Promise.all(outcomes)).every(Boolean));
    const { entries } = await engine.scan({ start: '/', end: '0' });
    assert.equal(entries.length, 300);
    assert.equal(await engine.head(), 301);
    await engine.close();
  });

  it('compares what the killed process was asked for anew where it has not touched the key, whatever was expected', async () => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder });
    const engine = await joinIn(folder);
    await engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') });
    first.suspend();
    const outcomes = Promise.all([0, 1].map((expect) => engine.commit({ key: '/k', expect, value: Buffer.from('w') })));
    await first.kill();
    assert.deepEqual((await outcomes).map(({ done }) => done), [false, false]);
    await engine.close();
  });

  it('goes on behind a commit of which the killed process had told nobody yet, not even the other processes', async () => {
    // Killed between its last page and its word to the others: with one that writes all the time, some of so many are.
    for (let round = 0; round < 20; round++) {
      const folder = await makeFolder();
      const first = new OtherProcess();
      await first.do({ folder });
      const engine = await joinIn(folder);
      const life = { isOver: false };
      const acknowledged = new Map<string, number>();
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; !life.isOver; n++) {
          const key = `/k/${writer}/${n}`;
          const outcome = await engine.commit({ key, expect: 0, value: Buffer.from(key) }).catch(String);
          if (typeof outcome === 'string') assert.match(outcome, /not known/);
          else if (outcome.done) acknowledged.set(key, outcome.revision);
        }
      };
      const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
      await new Promise((resolve) => setTimeout(resolve, 15 + round));
      await first.kill();
      await engine.commit({ key: '/last', expect: 0, value: Buffer.from('/last') });
      life.isOver = true;
      await Promise.all(writers);
      await engine.close();
      const again = await joinIn(folder);
      for (const [key, revision] of acknowledged) {
        const entry = await again.get(key);
        assert.deepEqual([entry?.key, entry?.revision], [key, revision]);
      }
      await again.close();
    }
  });

  it('keeps a process that joins and has nothing else to do until it has joined', async (test) => {
    const path = join(await makeFolder(), 'owner');
    // Slow: what does not keep the process is over long before.
    const owner = createServer((socket) => void setTimeout(() => sendFrame(socket, { message: { tell: 'head', head: 1 } }), 200)).listen(path);
    test.after(() => owner.close());
    await once(owner, 'listening');
    const program = `
      const { Membership } = await import(${JSON.stringify(new URL('./membership.js', import.meta.url).href)});
      const { connect } = await import('node:net');
      const membership = await Membership.join(connect(process.argv[1]), { head() {}, found() {}, lost() {} });
      if (membership === undefined) process.exitCode = 1;
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], { stdio: ['ignore', 'inherit', 'inherit'] });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('lets the process that writes end where it has nothing else to do, whoever has joined it: another one writes then', { timeout: 60_000 }, async (test) => {
    const folder = await makeFolder();
    const program = `
      const { driver } = await import(${JSON.stringify(new URL('../index.js', import.meta.url).href)});
      const { systemClock } = await import(${JSON.stringify(new URL('../../../../base/index.js', import.meta.url).href)});
      await driver.open({ location: process.argv[1], historySeconds: ${HISTORY_SECONDS}, isShared: true, clock: systemClock, log() {} });
      process.stdin.resume();
      console.log('open');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    test.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const engine = await joinIn(folder);
    assert.deepEqual(await engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') }), { done: true, revision: 2 });
    const exited = once(child, 'exit');
    child.stdin.end();
    assert.deepEqual(await exited, [0, null]);
    assert.deepEqual(await engine.commit({ key: '/k', expect: 2, value: Buffer.from('w') }), { done: true, revision: 3 });
    await engine.close();
  });

  it('has a process that writes again when what kept everybody from becoming it is gone', async () => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder });
    const told = deferred<void>();
    const engine = await driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock: systemClock, log: () => told.resolve() });
    // Nobody can say in the folder that it writes now, as on a full disk.
    await mkdir(join(folder, 'owner.json.new'));
    await first.kill();
    await told.promise;
    await rmdir(join(folder, 'owner.json.new'));
    assert.deepEqual(await engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') }), { done: true, revision: 2 });
    await engine.close();
  });

  it('is written where it was opened, whatever the way to it leads to when a member begins to write', async (context) => {
    const [folder, other, around] = [await makeFolder(), await makeFolder(), await makeFolder()];
    await (await joinIn(other)).close();
    const untouched = await readFile(join(other, FILE));
    await symlink(folder, join(around, 'store'));
    const asked = deferred<Socket>();
    const owner = await standIn(context, folder, (socket) => asked.resolve(socket));
    const engine = await joinIn(join(around, 'store'));
    await symlink(other, join(around, 'next'));
    await rename(join(around, 'next'), join(around, 'store'));
    const written = engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') });
    const line = await asked.promise;
    owner.close();
    line.destroy();
    assert.deepEqual(await written, { done: true, revision: 2 });
    await engine.close();
    assert.deepEqual(await readFile(join(other, FILE)), untouched);
  });

  it('forgets as far as the one who asks for most, whoever asks in the same moment', async () => {
    const folder = await makeFolder();
    const engine = await joinIn(folder);
    await count(engine, 50);
    await Promise.all([engine.compact(40), engine.compact(10)]);
    await assert.rejects(engine.get('/counter', 20), (cause) => cause instanceof StorageFailure && cause.code === 'compacted' && cause.revision === 40);
    await engine.close();
    const snapshot = await openSnapshot(folder);
    assert.deepEqual([...snapshot.check()].filter(Boolean), []);
    await snapshot.close();
  });

  for (const then of ['', ' and forgotten']) it(`does not make again what the process that is gone may have made, and somebody has removed since${then}`, async (test) => {
    const folder = await makeFolder();
    const { engine, outcome, line } = await askOneThatDies(test, folder, { key: '/k', expect: 0, value: Buffer.from('v') });
    // Its follower finds what it wrote, and removes it.
    await followIt(test, folder, `
      await follower.commit({ key: '/k', expect: 0, value: Buffer.from('v') });
      await follower.commit({ key: '/k', expect: 2 });
      ${then === '' ? '' : 'await follower.compact(3);'}
    `);
    line.destroy();
    await assert.rejects(outcome, (cause) => cause instanceof StorageFailure && /not known/.test(cause.message));
    assert.equal(await engine.get('/k'), undefined);
    await engine.close();
  });

  it('makes again what the process that is gone has not made, though what else was written since is forgotten', async (test) => {
    const folder = await makeFolder();
    const first = await joinIn(folder);
    const kept = await first.commit({ key: '/k', expect: 0, value: Buffer.from('v') });
    await first.close();
    const { engine, outcome, line } = await askOneThatDies(test, folder, { key: '/k', expect: 2, value: Buffer.from('w') });
    await followIt(test, folder, `await follower.commit({ key: '/other', expect: 0, value: Buffer.from('v') }); await follower.compact(3);`);
    line.destroy();
    assert.deepEqual([kept, await outcome], [2, 4].map((revision) => ({ done: true, revision })));
    await engine.close();
  });

  it('that closes is told so by what it has asked of a process that is about to end, and waits for no other one', async (test) => {
    const folder = await makeFolder();
    const ending = deferred<Socket>();
    await standIn(test, folder, (socket, message) => {
      // It asks for nothing more, and stays until the other side has gone.
      socket.once('end', () => ending.resolve(socket));
      if ('id' in message) sendFrame(socket, { message: { tell: 'going', id: message.id } });
    });
    const engine = await joinIn(folder);
    const outcome = assert.rejects(engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') }), /was closed/);
    const line = await ending.promise;
    await engine.close();
    await outcome;
    line.destroy();
  });

  it('that closes is told what came of its writes', async () => {
    const folder = await makeFolder();
    const other = new OtherProcess();
    await other.do({ folder });
    const engine = await joinIn(folder);
    const outcomes = Promise.all(['/a', '/b'].map((key) => engine.commit({ key, expect: 0, value: Buffer.from('v') })));
    await engine.close();
    assert.deepEqual(await outcomes, [2, 3].map((revision) => ({ done: true, revision })));
    await other.kill();
  });

  it('that closes waits for a process that hangs for a time only, and says that it does not know what came of its write', { timeout: 20_000 }, async (test) => {
    const folder = await makeFolder();
    const asked = deferred<Socket>();
    await standIn(test, folder, (socket) => asked.resolve(socket));
    const engine = await joinIn(folder);
    const outcome = assert.rejects(engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') }), /is gone, and it is not known whether it wrote this/);
    const line = await asked.promise;
    await engine.close();
    await outcome;
    line.destroy();
  });

  it('that closes waits for no process that hangs before it has taken this one', { timeout: 20_000 }, async (test) => {
    const folder = await makeFolder();
    const [asked, joining] = [deferred<Socket>(), deferred<Socket>()];
    await standIn(test, folder, (socket, { ask }) => (ask === 'join' ? joining : asked).resolve(socket), 1);
    const engine = await joinIn(folder);
    const outcome = assert.rejects(engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') }), StorageFailure);
    const line = await asked.promise;
    // It is lost, and looked for again.
    line.destroy();
    const next = await joining.promise;
    await engine.close();
    await outcome;
    next.destroy();
  });

  it('reads on, and can be closed, while a process that is suspended keeps all others from writing', { timeout: 60_000 }, async (test) => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder, writes: 3 });
    const [clock, told] = [new StillClock(), [] as string[]];
    const engine = await driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: (message) => void told.push(message) });
    const program = `
      const { OpenLock } = await import(${JSON.stringify(new URL('../open-lock.js', import.meta.url).href)});
      const { writeSync } = await import('node:fs');
      await OpenLock.open(process.argv[1]).run(() => { writeSync(1, 'locked'); process.kill(process.pid, 'SIGSTOP'); });
    `;
    const other = spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    test.after(() => other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    await first.kill();
    const outcome = assert.rejects(engine.commit({ key: '/k', expect: 0, value: Buffer.from('v') }), StorageFailure);
    while (!told.some((line) => /another process has \S+gate\.mdb locked/.test(line))) {
      clock.turn(HELD_LONG_MS);
      await nextTurn();
    }
    assert.equal(await countAt(engine), 3);
    await engine.close();
    await outcome;
  });

  it('says of a write that was refused for an entry which cannot be read that it cannot, and goes on with others', { timeout: 20_000 }, async (test) => {
    const folder = await makeFolder();
    await standIn(test, folder, (socket, message) => {
      if ('id' in message && message.ask === 'commit') sendFrame(socket, { message: { tell: 'lost', id: message.id, found: message.key === '/torn' ? 2 : 0 } });
    });
    const tables = openTables(folder);
    await tables.live.put('/torn', 2);
    await tables.root.close();
    const engine = await joinIn(folder);
    const commit = (key: string): Promise<Commit> => engine.commit({ key, expect: 1, value: Buffer.from('v') });
    const [torn, other] = await Promise.allSettled([commit('/torn'), commit('/other')]);
    assert.ok(torn.status === 'rejected' && torn.reason instanceof StorageFailure && torn.reason.code === 'corrupt', JSON.stringify(torn));
    assert.deepEqual(other, { status: 'fulfilled', value: { done: false, found: undefined } });
    assert.deepEqual(await commit('/other'), { done: false, found: undefined });
    await engine.close();
  });

  it('refuses who does not say that it shares', async () => {
    const folder = await makeFolder();
    const first = new OtherProcess();
    await first.do({ folder });
    const alone = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, clock: systemClock, log: () => {} });
    await assert.rejects(alone, (cause) => cause instanceof StorageFailure && /in use by process/.test(cause.message));
    await first.kill();
  });
});

describe('frames between processes', () => {
  const frame: fc.Arbitrary<Frame<MemberRequest>> = fc.record(
    {
      message: fc.record({ ask: fc.constant('commit' as const), id: fc.nat(), key: fc.string({ unit: 'binary' }), expect: fc.nat() }, { noNullPrototype: true }),
      value: fc.uint8Array({ maxLength: 300, size: 'max' }),
    },
    { requiredKeys: ['message'], noNullPrototype: true },
  );

  it('come whole however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.infiniteStream(fc.integer({ min: 1, max: 200 })), (frames, lengths) => {
        const bytes = Buffer.concat(frames.flatMap((one) => encodeFrame(one)));
        const reader = new FrameReader<MemberRequest>();
        const read: Frame<MemberRequest>[] = [];
        for (let at = 0; at < bytes.length; ) {
          const end = at + (lengths.next().value as number);
          read.push(...reader.read(new Uint8Array(bytes.subarray(at, end))));
          at = end;
        }
        assert.deepEqual(read, frames);
      }),
    );
  });

  it('announce no more than there can be', () => {
    const header = Buffer.alloc(9, 0xff);
    assert.throws(() => [...new FrameReader<MemberRequest>().read(header)]);
  });
});
