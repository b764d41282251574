import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Recorder } from './history.ts';

it('what watches have told without a gap goes on from what was told before, and not behind what was passed over', () => {
  const recorder = new Recorder();
  const seen = [[5, 5], [5, 7], [9, 12], [6, 8], [3, 4]].map(([since = 0, position = 0]) => {
    recorder.saw(since, position);
    return recorder.seenTo;
  });
  assert.deepEqual(seen, [5, 7, 7, 8, 8]);
});
