import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf } from '#api';
import { ApiError } from '#errors';
import { bodyFormat, canBeFramed, mediaTypeOf, negotiate, negotiateError, OFFERS, streamNotAcceptable, type Negotiated, type Offers } from './negotiate.ts';

const kubernetes = brandOf('kubernetes');
const orch = brandOf('orch');

/** Recorded from a real server: what was asked for (list, item, …), Accept, status, Content-Type, kind of the body. */
type Row = readonly [asked: string, accept: string, status: number, contentType: string, kind: string];
const rows = JSON.parse(readFileSync(new URL('../../test/golden/negotiation.json', import.meta.url), 'utf8')) as readonly Row[];

const OFFER_OF: Readonly<Record<string, (typeof OFFERS)[keyof typeof OFFERS]>> = {
  list: OFFERS.objects,
  item: OFFERS.objects,
  create: OFFERS.objects,
  'missing-item': OFFERS.objects,
  watch: OFFERS.objects,
  discovery: OFFERS.routedPlain,
};

const offered = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** The message of a refusal where there is one. */
function tried(accept: string, offers: Offers, brand = kubernetes): Negotiated | string {
  try {
    return negotiate(accept, offers, brand);
  } catch (refusal) {
    assert.ok(refusal instanceof ApiError && refusal.code === 406);
    return refusal.message;
  }
}

/** Refused for what the object is, not for what the client accepts. */
const isRefusedLater = ([asked, accept]: Row): boolean =>
  (asked === 'item' && accept.includes('as=PartialObjectMetadataList')) ||
  (/list|create/.test(asked) && accept.includes('as=PartialObjectMetadata;')) ||
  (asked === 'create' && accept.includes('as=PartialObjectMetadataList'));

test('R4.7-01 R4.7-09 R4.7-10 RX-14 Accept is answered as recorded', () => {
  let checked = 0;
  for (const row of rows) {
    const [asked, accept, status, contentType, kind] = row;
    const offers = OFFER_OF[asked];
    if (offers === undefined || isRefusedLater(row)) continue;
    const answer = tried(accept, offers);
    const isRefused = typeof answer === 'string' || (asked === 'watch' && !canBeFramed(answer.codec));
    assert.equal(isRefused, status === 406, JSON.stringify(row));
    if (status >= 400) assert.equal(mediaTypeOf(negotiateError(accept, kubernetes)?.codec ?? 'json', kubernetes), contentType, JSON.stringify(row));
    else if (typeof answer !== 'string') {
      assert.equal(mediaTypeOf(answer.codec, kubernetes), contentType.replace(';stream=watch', ''), JSON.stringify(row));
      if (answer.as !== undefined && asked !== 'watch') assert.equal(kind, answer.as, JSON.stringify(row));
    }
    checked++;
  }
  assert.ok(checked > 100, `${checked} rows`);
});

test('what is offered is found among up to 64 clauses, whatever a client would rather have', () => {
  const quality = fc.constantFrom('', ';q=1', ';q=0.9', ';q=0.5', ';q=0');
  const others = fc.array(fc.tuple(fc.constantFrom('application/xml', 'text/html', 'image/*', 'nothing'), quality), { maxLength: 63, size: 'max' });
  fc.assert(
    fc.property(others, others, quality, (before, behind, own) => {
      const clauses = [...before, ['application/yaml', own] as const, ...behind].slice(0, 64);
      const header = clauses.map((clause) => clause.join('')).join(',');
      assert.deepEqual(tried(header, OFFERS.plain), { codec: 'yaml' }, header);
    }),
    { numRuns: 200 },
  );
  assert.equal(tried(`${'text/html,'.repeat(64)}application/yaml`, OFFERS.plain), offered);
});

test('what is named more exactly goes before what is named less so, and else what is named first', () => {
  const isPretty = { codec: 'json', pretty: true };
  for (const header of ['*/*,application/*;pretty=1', '*/*;q=1,application/*;q=0.1;pretty=1', '*/*,application/json;pretty=1', 'application/*,application/json;pretty=1', 'application/*;pretty=1,application/*', '*/*;pretty=1,*/*']) {
    assert.deepEqual(tried(header, OFFERS.plain), isPretty, header);
  }
});

test('R4.7-04 R4.7-09 names are those of the dialect', () => {
  const table = 'application/json;as=Table;g=meta.orch.io;v=v1';
  assert.deepEqual(negotiate(table, OFFERS.objects, orch), { codec: 'json', as: 'Table', asVersion: 'v1' });
  assert.equal(typeof tried(table, OFFERS.objects), 'string');
  assert.deepEqual(negotiate('application/vnd.orch.protobuf', OFFERS.objects, orch), { codec: 'protobuf' });
  assert.equal(tried('application/vnd.kubernetes.protobuf', OFFERS.objects, orch), offered.replace('kubernetes', 'orch'));
});

test('R4.7-07 types without protobuf form: only their metadata has one', () => {
  const metadata = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  assert.deepEqual(negotiate(metadata, OFFERS.textObjects, kubernetes), { codec: 'protobuf', as: 'PartialObjectMetadataList', asVersion: 'v1' });
  assert.deepEqual(negotiate(`${metadata};stream=watch`, OFFERS.textObjects, kubernetes), { codec: 'protobuf', as: 'PartialObjectMetadataList', asVersion: 'v1' });
  assert.equal(tried(metadata.replace('PartialObjectMetadataList', 'Table'), OFFERS.textObjects), offered);
  assert.equal(tried('application/vnd.kubernetes.protobuf', OFFERS.textParts), offered);
  assert.deepEqual(negotiate('application/vnd.orch.protobuf, application/yaml', OFFERS.textObjects, orch), { codec: 'yaml' });
});

test('pretty is told apart', () => {
  assert.deepEqual(negotiate('application/json;pretty=1', OFFERS.objects, orch), { codec: 'json', pretty: true });
  assert.deepEqual(negotiate('application/json;pretty=0', OFFERS.objects, orch), { codec: 'json' });
});

test('a refusal names what is offered', () => {
  const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  assert.equal(streamNotAcceptable(kubernetes).message, `only the following media types are accepted: ${streams}`);
  const rows: readonly (readonly [accept: string, offers: Offers, answer: Negotiated | string])[] = [
    ['*', OFFERS.objects, offered],
    ['application/*', OFFERS.objects, offered],
    ['application/*', OFFERS.textObjects, { codec: 'json' }],
    ['application/*', OFFERS.plain, { codec: 'json' }],
    ['application/*', OFFERS.routedPlain, offered],
    ['*', OFFERS.plain, { codec: 'json' }],
    // A type without a subtype is none, where '*' is all of them.
    ['application', OFFERS.plain, offered],
    ['text/plain', OFFERS.log, offered],
    ['text/plain', OFFERS.parts, offered],
    ['text/plain, application/*', OFFERS.log, { codec: 'json' }],
    ['text/plain, application/*', OFFERS.parts, offered],
    ['application/json;stream=watch', OFFERS.objects, { codec: 'json' }],
    ['application/json;stream=some', OFFERS.objects, offered],
    ['application/yaml;stream=watch', OFFERS.objects, offered],
    ['application/json;sv=v2', OFFERS.objects, offered],
    ['application/json;g=meta.k8s.io', OFFERS.objects, offered],
    ['application/json;v=v1', OFFERS.objects, offered],
    ['application/json;as=Table;g=meta.k8s.io;v=v1', OFFERS.parts, offered],
    ['application/json; as = Table ; g = meta.k8s.io ; v = v1 ;pretty=1', OFFERS.objects, { codec: 'json', as: 'Table', asVersion: 'v1', pretty: true }],
    ['application/json;sv= ;q=1', OFFERS.plain, { codec: 'json' }],
    ['application/json;sv=v1', OFFERS.objects, { codec: 'json' }],
    ['application/json;sv=v1', OFFERS.plain, offered],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', OFFERS.parts, { codec: 'json', as: 'PartialObjectMetadata', asVersion: 'v1' }],
  ];
  for (const [accept, offers, answer] of rows) assert.deepEqual(tried(accept, offers), answer, accept);
  assert.equal(negotiateError('text/html', kubernetes), undefined);
});

test('clauses are tried by quality, but an exact type before the wildcard next to it', () => {
  const rows: readonly (readonly [string, Negotiated['codec']])[] = [
    ['application/yaml;q=0.1,application/json;q=0.2', 'json'],
    ['*/*,application/yaml;q=0.1', 'yaml'],
    ['application/*,application/yaml;q=0', 'yaml'],
    // No number, or one with spaces around it, is no quality at all.
    ['application/yaml;q=high,application/json;q=0.1', 'json'],
    ['application/yaml;q=0.9 ;charset=utf-8,application/json;q=0.1', 'json'],
    // What has no value is no parameter.
    ['application/yaml;q=;as=;"x",application/json', 'yaml'],
    ['application/yaml;q=0.1;q=1,application/json;q=0.5', 'yaml'],
    // Spaces around types and names mean nothing.
    ['  application / yaml ;charset=utf-8 , application/json;q=0.9', 'yaml'],
    ['application/yaml; q =0.1,application/json;q=0.5', 'json'],
    ['application/yaml;q=0.1=0.1,application/json;q=0.5', 'yaml'],
    ['application/json;q=1,application/yaml', 'json'],
    ['application/yaml/,application/json', 'yaml'],
    ['application/yaml/x,application/json', 'json'],
  ];
  for (const [accept, codec] of rows) assert.equal(tried(accept, OFFERS.textObjects) instanceof Object && negotiate(accept, OFFERS.textObjects, kubernetes).codec, codec, accept);
});

test('ever new texts do not fill the memory: an answer that was kept gives way to others, and long texts have none that is kept', () => {
  const offers: Offers = { ...OFFERS.plain };
  const ask = (header: string): Negotiated => negotiate(header, offers, orch);
  const kept = ask('application/json');
  assert.equal(ask('application/json'), kept);
  for (let n = 0; n < 1_000; n++) ask(`application/json;n=${n}`);
  assert.notEqual(ask('application/json'), kept);
  const long = `application/json;n=${'1'.repeat(1_000)}`;
  assert.notEqual(ask(long), ask(long));
});

test('answers are the same whether kept or new, and any text has one', () => {
  const part = fc.constantFrom('application', '/', 'json', '*', ';', ',', 'q=', '0.5', 'as=', 'Table', '=', ' ', 'stream=watch', 'yaml', '__proto__');
  const header = fc.array(part, { maxLength: 20, size: 'max' }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(header, (accept) => {
      const first = tried(accept, OFFERS.objects, orch);
      assert.deepEqual(tried(accept, OFFERS.objects, orch), first);
      const uncached = `${accept}${accept === '' ? '' : ','}${' '.repeat(600)}`;
      if (accept !== '') assert.deepEqual(tried(uncached, OFFERS.objects, orch), first);
    }),
    { numRuns: 1000 },
  );
});

test('R4.7-05 R4.7-12 formats of bodies', () => {
  const table: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, 'json'],
    ['', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['APPLICATION/JSON', 'json'],
    ['application/yaml', 'yaml'],
    ['application/vnd.orch.protobuf', 'protobuf'],
    ['application/vnd.kubernetes.protobuf', undefined],
    ['text/plain', undefined],
    ['; charset=utf-8', undefined],
    ['application/merge-patch+json', undefined],
    ['application/json;', 'json'],
    ['application/json ; a = b ;c="d \\" ; e"', 'json'],
    ['application/json; a=b; A="b"', 'json'],
    ['application/json; charset', undefined],
    ['application/json; charset=', undefined],
    ['application/json; =utf-8', undefined],
    ['application/json; a=b; a=c', undefined],
    ['application/json; a=b c', undefined],
    ['application/json; a="b', undefined],
    ['application/json;;', undefined],
    ['application/json, text/plain', undefined],
    [';', undefined],
  ];
  for (const [contentType, format] of table) assert.equal(bodyFormat(contentType, orch), format, contentType);
});
