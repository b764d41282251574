import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newAuthority } from '../support/certificates.ts';
import { orch } from './orch-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'orch-signing-flags-'));
after(() => rmSync(cwd, { recursive: true }));

const CERT = '--cluster-signing-cert-file';
const KEY = '--cluster-signing-key-file';

describe('orch serve, signing of certificates', () => {
  before(async () => {
    const authority = await newAuthority();
    const leaf = await authority.issue('leaf', ['leaf.example.com']);
    const files = { 'ca.crt': authority.cert, 'leaf.key': leaf.key };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  });

  const mistakes: readonly (readonly [name: string, flags: readonly string[], message: RegExp])[] = [
    ['a certificate without its key', [`${CERT}=ca.crt`], /--cluster-signing-cert-file and --cluster-signing-key-file belong together/],
    ['a file that is missing', [`${CERT}=nowhere`, `${KEY}=leaf.key`], /--cluster-signing-cert-file: cannot read nowhere/],
    ['a certificate and the key of another', [`${CERT}=ca.crt`, `${KEY}=leaf.key`], /do not belong together/],
    ['a life of no time', ['--cluster-signing-duration=0s'], /--cluster-signing-duration must be longer/],
  ];
  for (const [name, flags, message] of mistakes) {
    test(`${name} ends the start with words about it`, async () => {
      const { code, err } = await orch(['serve', '--secure-port=0', '--store=memory://', ...flags], { cwd });
      assert.notEqual(code, 0);
      assert.match(err, message);
    });
  }
});
