import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Table, type TableRow } from '#api';
import { createJsonCodec } from './json.ts';
import { withParts } from './parts.ts';
import { parseYaml } from './yaml-reader.ts';
import { createYamlCodec } from './yaml.ts';

const text = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString();
const cells = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 4 });
const rows = fc.array(fc.record({ cells, object: fc.option(fc.record({ metadata: fc.dictionary(fc.string(), fc.string()) })) }), { maxLength: 5 });
const head = {
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { resourceVersion: '7' },
  columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: 'The name.', priority: 0 }],
} as unknown as Omit<Table, 'rows'>;

const json = createJsonCodec();
const yaml = createYamlCodec(json);

for (const codec of [json, yaml]) {
  test(`a Table that is made row by row is the Table that is made at once (${codec.mediaType})`, () => {
    fc.assert(
      fc.property(rows, (all) => {
        const whole = { ...head, rows: all } as unknown as Table & { apiVersion: string; kind: string };
        assert.equal(text(withParts(codec.table(head), all as unknown as TableRow[])), Buffer.from(codec.encode(Table.type, whole)).toString());
      }),
    );
  });
}

test('a YAML list that is made item by item says what the JSON list says', () => {
  const item = fc.record({ metadata: fc.record({ name: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) }) });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 4 }), fc.boolean(), (items, keepsItemKind) => {
      const envelope = { apiVersion: 'v1', kind: 'ConfigMapList', keepsItemKind, metadata: { resourceVersion: '7' } };
      const encoded = items.map((one) => Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...one })));
      assert.deepEqual(parseYaml(Buffer.concat(withParts(yaml.list(envelope), encoded))), JSON.parse(text(withParts(json.list(envelope), encoded))));
    }),
  );
});
