import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RECENT_BYTES } from './limits.ts';
import { RecentChanges } from './recent-changes.ts';

describe('recent changes', () => {
  it('hold every change after their start, whole revisions only, in bounded memory', () => {
    const size = RECENT_BYTES / 8;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60, size: 'max' }), (counts) => {
        const recent = new RecentChanges(1);
        const revisions: number[] = [];
        counts.forEach((count, i) => {
          const revision = i + 2;
          const batch = Array.from({ length: count }, () => ({ key: '/a', revision, value: { length: size } as Uint8Array }));
          revisions.push(...batch.map(() => revision));
          recent.add(batch, revision);
        });
        const { items, position } = recent.read(recent.start);
        assert.equal(position, counts.length + 1);
        assert.deepEqual(items.map(({ revision }) => revision), revisions.filter((revision) => revision > recent.start));
        assert.ok(items.length <= 16);
        if (recent.start > 1) assert.throws(() => recent.read(recent.start - 1), RangeError);
      }),
    );
  });
});
