import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isListening, openLivenessSocket } from './liveness-socket.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-life-'));
after(() => rmSync(folder, { recursive: true }));

/** A disk with no space for another file: itself and one more are all it may have. */
const MOUNT = 'mount -t tmpfs -o nr_inodes=2 none "$0" && touch "$0/only"';
const NO_MOUNT = spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT, folder]).status === 0 ? false : 'this machine lets nobody mount a small disk';

describe('the sign of a living process', () => {
  it('is not given up for good where the disk has no space for it now', { skip: NO_MOUNT }, () => {
    const program = `
      const { openLivenessSocket } = await import(${JSON.stringify(new URL('./liveness-socket.js', import.meta.url).href)});
      console.log(await openLivenessSocket(process.argv[1], () => {}).then(String, ({ code }) => code));
    `;
    const script = `${MOUNT} && exec "$1" --input-type=module -e "$2" "$0"`;
    const { stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', script, folder, process.execPath, program], { timeout: 20_000 });
    assert.equal(String(stdout).trim(), 'ENOSPC');
  });

  it('is given beside what has the name of a dead one and cannot be removed', async () => {
    const place = mkdtempSync(join(folder, 'store-'));
    mkdirSync(join(place, 'owner-folder'));
    const sign = await openLivenessSocket(place, (socket) => socket.destroy());
    assert.equal(await isListening(place, sign?.name ?? ''), true);
    sign?.end();
    assert.deepEqual(readdirSync(place), ['owner-folder']);
  });

  it('outlives callers whom the process has no numbers left for, again and again', async (context) => {
    const listen = context.mock.method(Server.prototype, 'listen');
    const sign = await openLivenessSocket(folder, (socket) => socket.destroy());
    const server = listen.mock.calls[0]?.this as Server;
    for (let time = 0; time < 3; time++) server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    assert.equal(await isListening(folder, sign?.name ?? ''), true);
    sign?.end();
  });
});
