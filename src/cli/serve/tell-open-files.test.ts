import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, StillClock } from '#base';
import { tellOpenFiles } from './tell-open-files.ts';

test('that no more files can be opened is logged once with what to do, as is that they can again; other failures are nothing to tell', async () => {
  const clock = new StillClock();
  const said: unknown[] = [];
  const say = (...words: readonly unknown[]): void => void said.push(words);
  const ending = new AbortController();
  let code: string | undefined;
  const tryToOpen = async (): Promise<void> => {
    if (code !== undefined) throw Object.assign(new Error(`${code}: not opened`), { code });
  };
  tellOpenFiles({ ...silentLog, warn: say, error: say }, ending.signal, { clock, tryToOpen });
  for (const next of [undefined, 'EMFILE', 'EMFILE', undefined, undefined, 'EACCES', 'ENFILE']) {
    code = next;
    clock.turn(10_000);
    await new Promise(setImmediate);
  }
  const closed = 'no more files and connections can be opened, new connections are closed at once';
  assert.deepEqual(said, [
    [`${closed}: let this process have more (ulimit -n, LimitNOFILE= of systemd), or look who keeps so many connections open`, { error: 'EMFILE: not opened' }],
    ['files and connections can be opened again'],
    [`${closed}: let this machine have more (sysctl fs.file-max), or look which process keeps so many files open`, { error: 'ENFILE: not opened' }],
  ]);
  ending.abort();
  assert.equal(clock.pending, 0);
});
