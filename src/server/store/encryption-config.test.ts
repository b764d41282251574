import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brandOf } from '#api';
import { createKeySpace } from '#storage';
import { readEncryption } from './encryption-config.ts';

const keys = createKeySpace(brandOf('kubernetes'));
const SECRET = Buffer.alloc(32, 1).toString('base64');
const read = (config: object | string): ReturnType<typeof readEncryption> => readEncryption(typeof config === 'string' ? config : JSON.stringify(config), keys);
const withProviders = (...providers: unknown[]): object => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [{ resources: ['secrets'], providers }],
});

describe('encryption configuration', () => {
  it('is read in both spellings and the early one, as YAML or JSON', async () => {
    for (const head of ['apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration', 'apiVersion: apiserver.config.orch.io/v1\nkind: EncryptionConfiguration', 'kind: EncryptionConfig\napiVersion: v1']) {
      const rules = await read(`
${head}
resources:
- resources: [secrets, deployments.apps, widgets.example.com]
  providers:
  - aescbc:
      keys:
      - {name: two, secret: ${SECRET}}
      - {name: "one:of two", secret: ${SECRET}}
  - secretbox: {keys: [{name: box, secret: ${SECRET}}]}
  - identity: {}
`);
      assert.deepEqual(rules[0]?.prefixes, ['/registry/secrets/', '/registry/deployments/', '/registry/example.com/widgets/']);
      assert.deepEqual(
        rules[0].providers.map(({ mark }) => mark.toString()),
        ['k8s:enc:aescbc:v1:two:', 'k8s:enc:aescbc:v1:one:of two:', 'k8s:enc:secretbox:v1:box:', ''],
      );
    }
  });

  it('covers with services what they have allocated, as in 1.23', async () => {
    const [rule] = await read({ ...withProviders(), resources: [{ resources: ['services', 'pods'], providers: [{ identity: {} }] }] });
    assert.deepEqual(rule?.prefixes, ['/registry/services/specs/', '/registry/ranges/', '/registry/pods/']);
  });

  it('says where it is wrong, without showing a secret', async () => {
    const short = Buffer.from('hush-hush').toString('base64');
    const rows: readonly (readonly [object | string, RegExp])[] = [
      ['[', /^encryption configuration: /],
      ['[]', /^encryption configuration: there must be an object here$/],
      [{ apiVersion: 'v1', kind: 'EncryptionConfiguration', resources: [] }, /must say apiVersion: apiserver.config.orch.io\/v1 or apiserver.config.k8s.io\/v1/],
      [{ ...withProviders(), kind: 'EncryptionConfig' }, /must say apiVersion: .* and kind: EncryptionConfiguration/],
      [{ ...withProviders(), resources: [] }, /^encryption configuration, resources: there must be a list/],
      [withProviders('identity'), /providers\[0\]: there must be an object here/],
      [withProviders({ secretbox: null }), /providers\[0\].secretbox: there must be an object here/],
      [withProviders(), /resources\[0\].providers: there must be a list/],
      [withProviders({ kms: { name: 'x', endpoint: 'unix:///x' } }), /providers\[0\]: kms is not supported/],
      [withProviders({ constructor: {} }), /no provider "constructor": choose from identity, aescbc, aesgcm, secretbox/],
      [withProviders({ identity: {}, aescbc: {} }), /exactly one provider/],
      [withProviders({ aescbc: {} }), /aescbc.keys: there must be a list/],
      [withProviders({ aescbc: { keys: [{ name: '', secret: SECRET }] } }), /keys\[0\].name: there must be a text here/],
      [withProviders({ aescbc: { keys: [{ name: 5, secret: SECRET }] } }), /keys\[0\].name: there must be a text here/],
      [withProviders({ aescbc: { keys: [{ name: 'a', secret: '***' }] } }), /keys\[0\].secret: it is not base64/],
      [withProviders({ secretbox: { keys: [{ name: 'a', secret: short }] } }), /keys\[0\].secret: a key of secretbox has 32 bytes, this one has 9$/],
    ];
    for (const [config, message] of rows) {
      await assert.rejects(read(config), (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, message);
        assert.ok(!error.message.includes(short));
        return true;
      });
    }
  });
});
