import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ApiObject } from '#api';
import { createObjectStore } from '../direct-store.ts';
import type { Change, Feed } from '../engine.ts';
import type { Entry } from '../entry.ts';
import { openEngine } from '../open.ts';
import { isStale } from '../stale-values.ts';
import { StorageFailure } from '../storage-failure.ts';
import { chained, withTransformer, type ValueTransformer } from '../value-transformer.ts';
import { encryptionTransformer } from './encrypted.ts';
import type { Provider } from './provider.ts';
import { createProvider, type ProviderName } from './providers.table.ts';

const PLACE = '/registry/secrets/default/a';
const SECRET = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const OBJECT = '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}';
const CIPHERS: readonly ProviderName[] = ['aescbc', 'aesgcm', 'secretbox'];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);
const isCorrupt = (error: unknown): error is StorageFailure => error instanceof StorageFailure && error.code === 'corrupt' && error.message.includes(PLACE);

/** Sealed by other programs: Python's cryptography over OpenSSL for AES, NaCl's own test for the last. */
const KNOWN: readonly { readonly algorithm: ProviderName; readonly secret: Buffer; readonly sealed: string; readonly value: Buffer }[] = [
  {
    algorithm: 'aesgcm',
    secret: SECRET,
    sealed:
      '000102030405060708090a0b3c20bd72ab81e021af12f2e8c38c0c4faff4e644992d3a0e4b0e8aeb3f5322c4303282dec2a466f910c50b8caabd531a' +
      '80380de878ec81bb1dea57cc615c21ec071a97944d62599ef7cfc5',
    value: Buffer.from(OBJECT),
  },
  {
    algorithm: 'aescbc',
    secret: SECRET,
    sealed:
      '000102030405060708090a0b0c0d0e0f1e99f42a87db9ef8ab2a289efc82058d538b66503b5de1a875b9e178eae661a48c77b779ecf6f838e122fca2' +
      '7576a8e27a8b17c6b11152a02ae4333841df0c41',
    value: Buffer.from(OBJECT),
  },
  {
    algorithm: 'secretbox',
    secret: Buffer.from('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389', 'hex'),
    sealed:
      '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37' +
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c972' +
      '71d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b3' +
      '7973f622a43d14a6599b1f654cb45a74e355a5',
    value: Buffer.from(
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31' +
        '0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864' +
        '5e0705',
      'hex',
    ),
  },
];

describe('encryption providers', () => {
  for (const { algorithm, secret, sealed, value } of KNOWN) {
    it(`${algorithm} opens what another program sealed`, async () => {
      const provider = await createProvider(algorithm, 'k', secret);
      assert.deepEqual(Buffer.from(provider.decrypt(Buffer.from(sealed, 'hex'), PLACE)), value);
    });
  }

  it('open what they seal, never seal twice the same way, and refuse what was changed or cut off', async () => {
    for (const algorithm of CIPHERS) {
      const provider = await createProvider(algorithm, 'k', SECRET);
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200, size: 'max' }), fc.nat(), (value, at) => {
          const sealed = Buffer.from(provider.encrypt(value, PLACE));
          assert.deepEqual(Buffer.from(provider.decrypt(sealed, PLACE)), Buffer.from(value));
          assert.notDeepEqual(Buffer.from(provider.encrypt(value, PLACE)), sealed);
          if (algorithm === 'aescbc') return;
          const changed = Buffer.from(sealed);
          changed[at % changed.length]! ^= 1;
          assert.throws(() => provider.decrypt(changed, PLACE));
          assert.throws(() => provider.decrypt(sealed.subarray(0, at % sealed.length), PLACE));
        }),
        { numRuns: 50 },
      );
    }
  });

  it('aesgcm refuses a value that was moved', async () => {
    const provider = await createProvider('aesgcm', 'k', SECRET);
    const sealed = Buffer.from(provider.encrypt(bytes('x'), PLACE));
    assert.throws(() => provider.decrypt(sealed, `${PLACE}2`));
  });

  it('refuse keys of a wrong length and say which are right', async () => {
    await assert.rejects(createProvider('secretbox', 'k', SECRET.subarray(16)), /32 bytes, this one has 16/);
    await assert.rejects(createProvider('aescbc', 'k', SECRET.subarray(20)), /16, 24, 32 bytes, this one has 12/);
  });
});

describe('a store with encryption', () => {
  const rule = (providers: readonly Provider[]): ReturnType<typeof encryptionTransformer> => encryptionTransformer([{ prefixes: ['/registry/secrets/'], providers }]);

  it('keeps the values of its resources as Kubernetes does, and no others', async () => {
    for (const algorithm of CIPHERS) {
      const engine = await openEngine('memory://');
      const keptBy = rule([await createProvider(algorithm, 'key1', SECRET)]);
      const sealed = withTransformer(engine, keptBy);
      await sealed.commit({ key: PLACE, expect: 0, value: bytes(OBJECT) });
      await sealed.commit({ key: '/registry/pods/default/a', expect: 0, value: bytes(OBJECT) });
      const kept = (await engine.get(PLACE)) as Entry;
      assert.ok(text(kept.value).startsWith(`k8s:enc:${algorithm}:v1:key1:`));
      assert.ok(!text(kept.value).includes('metadata'));
      assert.equal(text((await engine.get('/registry/pods/default/a'))!.value), OBJECT);
      for (const key of [PLACE, '/registry/pods/default/a']) {
        const { value } = (await withTransformer(engine, keptBy).get(key))!;
        assert.deepEqual([text(value), isStale(value)], [OBJECT, false], key);
      }
      const entry = (await sealed.get(PLACE)) as Entry;
      assert.equal(text(entry.value), OBJECT);
      assert.equal((await sealed.get(PLACE))?.value, entry.value);
    }
  });

  it('opens entries, pages, lost races and changes alike', async () => {
    const engine = await openEngine('memory://');
    const provider = await createProvider('aesgcm', 'key1', SECRET);
    await withTransformer(engine, rule([provider])).commit({ key: PLACE, expect: 0, value: bytes(OBJECT) });
    const sealed = withTransformer(engine, rule([provider]));
    const changes: string[] = [];
    const told = new Promise<void>((resolve) => {
      const feed = {
        changes: (batch: readonly Change[], upTo: number): void => {
          for (const { value, before } of batch) changes.push(`${value && text(value)} was ${before && text(before.value)}`);
          if (upTo >= 3) resolve();
        },
        lost: () => {},
      };
      sealed.follow('/registry/', 1, feed, new AbortController().signal);
    });
    assert.equal(text((await sealed.scan({ start: '/', end: '0' })).entries[0]!.value), OBJECT);
    for (const write of [{ key: PLACE, expect: 0, value: bytes('x') }, { key: PLACE, expect: 1 }]) {
      const lost = await sealed.commit(write);
      assert.ok(!lost.done && lost.found !== undefined);
      assert.equal(text(lost.found.value), OBJECT);
    }
    await sealed.commit({ key: PLACE, expect: 2 });
    await told;
    assert.deepEqual(changes, [`${OBJECT} was undefined`, `undefined was ${OBJECT}`]);
  });

  it('writes anew what an older key or none has sealed, with the next update, even one that changes nothing', async () => {
    const [older, newer, none] = await Promise.all([
      createProvider('aescbc', 'older', SECRET),
      createProvider('secretbox', 'newer', SECRET),
      createProvider('identity', '', SECRET),
    ]);
    const plain = bytes(OBJECT);
    assert.equal(rule([none, older]).toStorage(PLACE, plain), plain, 'what is not encrypted is not copied');
    const steps = [[none], [older, none], [newer, older, none]];
    const MARKS = ['plain', 'k8s:enc:aescbc:v1:older:', 'k8s:enc:secretbox:v1:newer:'];
    // What a client sends back has the resourceVersion that it was given, or none.
    for (const next of [(live: ApiObject | undefined) => live ?? JSON.parse(OBJECT), () => JSON.parse(OBJECT)] as const) {
      const engine = await openEngine('memory://');
      const marks: string[] = [];
      for (const providers of steps) {
        const kindCodec = { encode: () => bytes(OBJECT), select: () => ({}) };
        const store = createObjectStore({ engine: withTransformer(engine, rule(providers)), kindCodec });
        for (let i = 0; i < 2; i++) await store.write(PLACE, async (live) => ({ put: next(live) }));
        assert.equal(isStale((await withTransformer(engine, rule(providers)).get(PLACE))!.value), false);
        marks.push(/^(?:[a-z\d]+:)+/.exec(text((await engine.get(PLACE))!.value).slice(0, 40))?.[0] ?? 'plain');
      }
      assert.deepEqual(marks.map((mark, i) => mark.startsWith(MARKS[i]!)), [true, true, true], marks.join());
      assert.equal(await engine.head(), 4, 'the second write of each step changed nothing');
      const { value } = (await withTransformer(engine, rule([none, newer])).get(PLACE))!;
      assert.equal(isStale(value), true);
    }
  });

  it('over another form of values is opened with it, and stale where either of the two is', async () => {
    const [older, newer] = await Promise.all([createProvider('aesgcm', 'older', SECRET), createProvider('secretbox', 'newer', SECRET)]);
    /** What the older form said as it is, the newer one says in brackets. */
    const form = (isNewer: boolean): ValueTransformer => ({
      toStorage: (_key, value) => (isNewer ? bytes(`[${text(value)}]`) : value),
      fromStorage(_key, kept) {
        const isInNewer = text(kept).startsWith('[');
        return { value: isInNewer ? kept.subarray(1, -1) : kept, isStale: isInNewer !== isNewer };
      },
    });
    for (const [isNewer, providers, isStaleNow] of [[true, [newer], false], [false, [newer], true], [true, [older], true], [false, [older], true]] as const) {
      const engine = await openEngine('memory://');
      await withTransformer(engine, chained(form(isNewer), rule(providers))).commit({ key: PLACE, expect: 0, value: bytes(OBJECT) });
      assert.ok(!text((await engine.get(PLACE))!.value).includes(OBJECT));
      const { value } = (await withTransformer(engine, chained(form(true), rule([newer, older]))).get(PLACE))!;
      assert.deepEqual([text(value), isStale(value)], [OBJECT, isStaleNow]);
    }
  });

  it('opens a value with the providers of every rule for it, as 1.23 does, and seals with the first', async () => {
    const engine = await openEngine('memory://');
    const [older, newer] = await Promise.all([createProvider('aescbc', 'older', SECRET), createProvider('secretbox', 'newer', SECRET)]);
    const both = encryptionTransformer([
      { prefixes: ['/registry/configmaps/', '/registry/secrets/'], providers: [newer] },
      { prefixes: ['/registry/secrets/'], providers: [older] },
    ]);
    await withTransformer(engine, rule([older])).commit({ key: PLACE, expect: 0, value: bytes(OBJECT) });
    const { value } = (await withTransformer(engine, both).get(PLACE))!;
    assert.deepEqual([text(value), isStale(value)], [OBJECT, true]);
    assert.ok(text(both.toStorage(PLACE, bytes(OBJECT))).startsWith('k8s:enc:secretbox:v1:newer:'));
    const elsewhere = '/registry/configmaps/default/a';
    assert.throws(() => both.fromStorage(elsewhere, rule([older]).toStorage(PLACE, bytes(OBJECT))), /configmaps.*encrypted as k8s:enc:aescbc:v1:older:, which is not among/);
  });

  it('opens a value with the key that it names, and with no other of the same secret', async () => {
    for (const algorithm of CIPHERS) {
      const engine = await openEngine('memory://');
      const [one, two] = await Promise.all([createProvider(algorithm, 'k1', SECRET), createProvider(algorithm, 'k2', SECRET)]);
      await withTransformer(engine, rule([two])).commit({ key: PLACE, expect: 0, value: bytes(OBJECT) });
      await assert.rejects(withTransformer(engine, rule([one])).get(PLACE), (error) => isCorrupt(error) && String(error).endsWith(`it was encrypted as k8s:enc:${algorithm}:v1:k2:, which is not among the providers given`));
      const { value } = (await withTransformer(engine, rule([one, two])).get(PLACE))!;
      assert.deepEqual([text(value), isStale(value)], [OBJECT, true]);
    }
  });

  it('says what it cannot open', async () => {
    const engine = await openEngine('memory://');
    const [one, other, none] = await Promise.all([
      createProvider('secretbox', 'k', SECRET),
      createProvider('secretbox', 'k', Buffer.alloc(32, 7)),
      createProvider('identity', '', SECRET),
    ]);
    await withTransformer(engine, rule([one])).commit({ key: PLACE, expect: 0, value: bytes(OBJECT) });
    const unopened = 'the key that is given as k8s:enc:secretbox:v1:k: does not open it: its secret is another one, or the value was changed';
    const unknown = 'it was encrypted as k8s:enc:secretbox:v1:k:, which is not among the providers given';
    for (const [providers, why] of [[[other], unopened], [[none], unknown], [[other, none], unopened], [[none, other], unopened]] as const) {
      await assert.rejects(withTransformer(engine, rule(providers)).get(PLACE), (error) => isCorrupt(error) && error.message === `the entry ${PLACE} cannot be decrypted: ${why}`);
    }
    for (const [kept, why] of [
      ['{}', 'it is not encrypted, and identity is not among the providers given'],
      ['k8s:enc:kms:v1:vault:\u0001\u0002:', 'it was encrypted as k8s:enc:kms:v1:vault:, which is not among the providers given'],
      ['k8s:enc:\u0001', 'it was encrypted as k8s:enc:, which is not among the providers given'],
    ] as const) {
      assert.throws(() => rule([one]).fromStorage(PLACE, bytes(kept)), { message: `the entry ${PLACE} cannot be decrypted: ${why}` });
    }
    const follow = (changes: Feed['changes']): Promise<StorageFailure> =>
      new Promise((resolve) => withTransformer(engine, rule([other])).follow('/', 1, { changes, lost: resolve }, new AbortController().signal));
    assert.ok(isCorrupt(await follow((batch) => batch.forEach(({ value }) => value))));
    for (const algorithm of CIPHERS) {
      const keptBy = rule([await createProvider(algorithm, 'k', SECRET)]);
      const kept = Buffer.from(keptBy.toStorage(PLACE, bytes('x')));
      // What AES-CBC seals is known to be cut off where it does not end with a block.
      for (let length = 0; length < kept.length; length++) assert.throws(() => keptBy.fromStorage(PLACE, kept.subarray(0, length)), isCorrupt, `${algorithm}: ${length}`);
    }
    const keys = new Promise((resolve) => void follow((batch) => batch.length > 0 && resolve(batch.map(({ key }) => key))));
    assert.deepEqual(await keys, [PLACE], 'who reads no value is not disturbed');
  });
});
