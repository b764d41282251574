import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import type { ReadRequest } from './read-request.ts';
import { signerOf } from './signer-rules.ts';

const requestOf = (commonName: string, ...organizations: readonly string[]): ReadRequest => ({ commonName, organizations, names: [] }) as unknown as ReadRequest;

for (const dialect of ['orch', 'kubernetes'] as const) {
  const brand = brandOf(dialect);

  test(`R2.12-40 the signer for what is old takes any subject and any usages, the others do not (${dialect})`, () => {
    const anything = requestOf('root', 'system:masters');
    const usages = ['any', 'cert sign', 'server auth'];
    assert.equal(signerOf(brand.names.legacySigner, brand)?.check(anything, usages, brand), undefined);
    for (const name of ['clientSigner', 'nodeClientSigner', 'nodeServingSigner'] as const) {
      assert.notEqual(signerOf(brand.names[name], brand)?.check(anything, usages, brand), undefined, name);
    }
  });

  test(`a signer of another name is somebody else (${dialect})`, () => {
    for (const name of ['example.com/signer', '', `${brand.names.clientSigner}x`, '__proto__', 'constructor']) assert.equal(signerOf(name, brand), undefined, name);
  });
}
