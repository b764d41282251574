import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { keptAnnotations } from './annotations.ts';

for (const dialect of DIALECTS) {
  const brand = brandOf(dialect);
  const admission = brand.group('admission');
  const all = new Map([
    [`patch.webhook.${admission}/round_0_index_0`, '{"patch":[{"op":"add","path":"/data/key","value":"hush"}]}'],
    [`mutation.webhook.${admission}/round_0_index_0`, '{"mutated":true}'],
  ]);

  test(`R6-07 R6-10 ${dialect}: that a webhook changed something is kept from Metadata on, what it changed from Request on`, () => {
    assert.deepEqual(keptAnnotations(all, 'Metadata', brand), { [`mutation.webhook.${admission}/round_0_index_0`]: '{"mutated":true}' });
    assert.deepEqual(keptAnnotations(all, 'Request', brand), Object.fromEntries(all));
    assert.deepEqual(keptAnnotations(all, 'RequestResponse', brand), Object.fromEntries(all));
  });
}

test('no annotations are no member', () => {
  assert.equal(keptAnnotations(new Map(), 'Request', brandOf('orch')), undefined);
});
