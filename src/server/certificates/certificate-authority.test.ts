import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { checkAuthority, openSigning } from './certificate-authority.ts';
import { createAuthority, createServingCertificate } from './certificates.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

test('R2.12-45 an authority is made when it is first needed, once, and its certificates live a year', async () => {
  const signing = openSigning({}, systemClock);
  assert.equal(signing.longestMs, YEAR_MS);
  const [one, other] = await Promise.all([signing.authorityOf('clientSigner'), signing.authorityOf('legacySigner')]);
  assert.equal(one, other);
  checkAuthority(one);
});

test('an authority that is given is taken as it is, if it is one', async () => {
  const [authority, stranger] = [createAuthority(Date.now()), createAuthority(Date.now())];
  assert.deepEqual(await openSigning({ authority }, systemClock).authorityOf('clientSigner'), authority);
  const signing = openSigning({ authority, bySigner: { nodeServingSigner: stranger } }, systemClock);
  assert.deepEqual([await signing.authorityOf('nodeServingSigner'), await signing.authorityOf('nodeClientSigner')], [stranger, authority]);
  const leaf = createServingCertificate(authority, [], Date.now());
  assert.throws(() => checkAuthority(leaf), /not that of an authority/);
  assert.throws(() => checkAuthority({ ...authority, key: stranger.key }), /do not belong together/);
  assert.throws(() => checkAuthority({ ...authority, key: 'hello' }));
  assert.throws(() => openSigning({ authority, bySigner: { legacySigner: leaf } }, systemClock), /not that of an authority/);
  assert.throws(() => openSigning({ longestMs: 0 }, systemClock), /longer than no time/);
});
