import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { StillClock } from '#base';
import { FLAGS, openIdentityFiles } from '#server';
import { parseFlags } from '../parse-flags.ts';
import { readGivenTls } from './given-tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-cert-dir-'));
after(() => rmSync(folder, { recursive: true }));

const DAY_MS = 24 * 3_600_000;

test('a certificate that the server has put into --cert-dir is exchanged there before its end, and for another name; one of others is not', async () => {
  const clock = new StillClock(Date.now());
  const [own, others] = [join(folder, 'own'), join(folder, 'others')];
  mkdirSync(others);
  for (const end of ['crt', 'key']) copyFileSync(resolve(`test/fixtures/tls/server.${end}`), join(others, `apiserver.${end}`));
  const given = readFileSync(join(others, 'apiserver.crt'), 'utf8');
  const identity = await openIdentityFiles(folder, [], clock.nowMs());
  const open = (at: string, now = identity) => readGivenTls(parseFlags([`--cert-dir=${at}`], FLAGS).flags, now, clock);
  const [tls, untouched] = [await open(own), await open(others)];
  assert.equal(tls.cert, `${identity.serving.cert.trimEnd()}\n${identity.authority.cert}`);
  assert.equal((await tls.read?.())?.cert, tls.cert);
  clock.turn(340 * DAY_MS);
  const next = await tls.read?.();
  assert.notEqual(next?.cert, tls.cert);
  assert.equal(readFileSync(join(own, 'apiserver.crt'), 'utf8'), next?.cert);
  assert.equal(readFileSync(join(own, 'apiserver.key'), 'utf8'), next?.key);
  const renamed = await openIdentityFiles(folder, ['api.example'], clock.nowMs());
  assert.equal((await open(own, renamed)).cert, `${renamed.serving.cert.trimEnd()}\n${renamed.authority.cert}`);
  assert.deepEqual([untouched.cert, (await untouched.read?.())?.cert], [given, given]);
});
