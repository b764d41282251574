import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf } from '#api';
import { bodyFormat, mediaTypeOf, negotiate, negotiateError, OFFERS, offeredMediaTypes } from './negotiate.ts';

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
  watch: OFFERS.watch,
  discovery: OFFERS.plain,
};

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
    const answer = negotiate(accept, offers, kubernetes);
    assert.equal(answer === undefined, status === 406, JSON.stringify(row));
    if (status >= 400) assert.equal(mediaTypeOf(negotiateError(accept, kubernetes).codec, kubernetes), contentType, JSON.stringify(row));
    else if (answer !== undefined) {
      assert.equal(mediaTypeOf(answer.codec, kubernetes), contentType.replace(';stream=watch', ''), JSON.stringify(row));
      if (answer.as !== undefined && asked !== 'watch') assert.equal(kind, answer.as, JSON.stringify(row));
    }
    checked++;
  }
  assert.ok(checked > 100, `${checked} rows`);
});

test('R4.7-04 R4.7-09 names are those of the dialect', () => {
  const table = 'application/json;as=Table;g=meta.orch.io;v=v1';
  assert.deepEqual(negotiate(table, OFFERS.objects, orch), { codec: 'json', as: 'Table', asVersion: 'v1' });
  assert.equal(negotiate(table, OFFERS.objects, kubernetes), undefined);
  assert.deepEqual(negotiate('application/vnd.orch.protobuf', OFFERS.objects, orch), { codec: 'protobuf' });
  assert.equal(negotiate('application/vnd.kubernetes.protobuf', OFFERS.objects, orch), undefined);
});

test('R4.7-07 types without protobuf form: only their metadata has one', () => {
  const metadata = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  assert.deepEqual(negotiate(metadata, OFFERS.textObjects, kubernetes), { codec: 'protobuf', as: 'PartialObjectMetadataList', asVersion: 'v1' });
  assert.deepEqual(negotiate(`${metadata};stream=watch`, OFFERS.textWatch, kubernetes), { codec: 'protobuf', as: 'PartialObjectMetadataList', asVersion: 'v1' });
  assert.equal(negotiate(metadata.replace('PartialObjectMetadataList', 'Table'), OFFERS.textObjects, kubernetes), undefined);
  assert.equal(negotiate(metadata, OFFERS.textPlain, kubernetes), undefined);
  assert.equal(negotiate('application/vnd.orch.protobuf', OFFERS.textObjects, orch), undefined);
  assert.deepEqual(negotiate('application/vnd.orch.protobuf, application/yaml', OFFERS.textObjects, orch), { codec: 'yaml' });
});

test('pretty is told apart', () => {
  assert.deepEqual(negotiate('application/json;pretty=1', OFFERS.objects, orch), { codec: 'json', pretty: true });
  assert.deepEqual(negotiate('application/json;pretty=0', OFFERS.objects, orch), { codec: 'json' });
});

test('a refusal names what is offered', () => {
  assert.deepEqual(offeredMediaTypes(OFFERS.watch, kubernetes), [
    'application/json;stream=watch',
    'application/vnd.kubernetes.protobuf;stream=watch',
  ]);
  assert.deepEqual(offeredMediaTypes(OFFERS.textObjects, orch), offeredMediaTypes(OFFERS.objects, orch));
});

test('answers are the same whether kept or new, and any text has one', () => {
  const part = fc.constantFrom('application', '/', 'json', '*', ';', ',', 'q=', '0.5', 'as=', 'Table', '=', ' ', 'stream=watch', 'yaml', '__proto__');
  const header = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(header, (accept) => {
      const first = negotiate(accept, OFFERS.objects, orch);
      assert.deepEqual(negotiate(accept, OFFERS.objects, orch), first);
      const uncached = `${accept}${accept === '' ? '' : ','}x/${'y'.repeat(600)}`;
      if (accept !== '') assert.deepEqual(negotiate(uncached, OFFERS.objects, orch), first);
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
  ];
  for (const [contentType, format] of table) assert.equal(bodyFormat(contentType, orch), format, contentType);
});
