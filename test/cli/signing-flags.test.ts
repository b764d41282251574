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
    ['a certificate for one signer without its key', ['--cluster-signing-kubelet-serving-cert-file=ca.crt'], /--cluster-signing-kubelet-serving-cert-file and --cluster-signing-kubelet-serving-key-file belong together/],
    ['a pair for one signer that is none', ['--cluster-signing-legacy-unknown-cert-file=ca.crt', '--cluster-signing-legacy-unknown-key-file=leaf.key'], /--cluster-signing-legacy-unknown-cert-file.*do not belong together/],
    ['a lease that is shorter than its deadline', ['--leader-elect', '--leader-elect-lease-duration=5s'], /--leader-elect-lease-duration: must be longer than --leader-elect-renew-deadline/],
    ['a lease whose name is none', ['--leader-elect-resource-name=A_lease'], /--leader-elect-resource-name: .*lowercase/],
    ['a lease in a namespace that cannot be', ['--leader-elect-resource-namespace=a.b'], /--leader-elect-resource-namespace: .*lowercase/],
    ['a deadline that leaves no time for a second try', ['--leader-elect-retry-period=10s'], /--leader-elect-renew-deadline: must be longer/],
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
