import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { notifyReady } from './notify-ready.ts';

/** An environment whose `systemd-notify` is this script of the shell, in a folder `$FOLDER`. */
function withNotify(t: TestContext, script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'orch-notify-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  return { folder, env: { PATH: folder, FOLDER: folder, NOTIFY_SOCKET: '/run/notify' } };
}

test('systemd hears that the server is ready where it waits for that, and only there', async (t) => {
  const { folder, env } = withNotify(t, 'echo "$NOTIFY_SOCKET $*" >> "$FOLDER/said"');
  await notifyReady({ env, err: assert.fail });
  await notifyReady({ env: { ...env, NOTIFY_SOCKET: undefined }, err: assert.fail });
  assert.equal(readFileSync(join(folder, 'said'), 'utf8'), '/run/notify --ready\n');
});

test('that systemd could not be told is said, with why', async (t) => {
  const said: string[] = [];
  const { env } = withNotify(t, 'exit 3');
  const err = (line: string): void => void said.push(line);
  await notifyReady({ env, err });
  await notifyReady({ env: { ...env, PATH: '/nowhere' }, err });
  assert.deepEqual(said, [
    'orch: systemd was not told that the server is ready: systemd-notify ended with exit code 3\n',
    'orch: systemd was not told that the server is ready: systemd-notify cannot be run: spawn systemd-notify ENOENT\n',
  ]);
});

test('the unit lets systemd wait for that, from whatever process of the service it comes', () => {
  const unit = readFileSync('packaging/orch.service', 'utf8');
  assert.match(unit, /^Type=notify$/m);
  assert.match(unit, /^NotifyAccess=all$/m);
});
