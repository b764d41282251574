import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { percentOf, raiseFloor, readFloor, sharesOf, totalOf } from './strict-messages.ts';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-messages-'));
after(() => fs.rmSync(home, { recursive: true }));

const REFUSED = { response: { status: 422, json: { kind: 'Status', status: 'Failure' } } };
const FINE = { response: { status: 200, json: { kind: 'Pod', status: {} } } };
const NAMES = ['pods/a', 'pods/loose', 'pods/left', 'list/a'];

for (const folder of ['transcripts', 'scenarios']) fs.mkdirSync(path.join(home, folder));
fs.writeFileSync(path.join(home, 'transcripts/x.jsonl'), NAMES.map((scenario) => JSON.stringify({ scenario, steps: [REFUSED, FINE, REFUSED] })).join('\n'));
fs.writeFileSync(path.join(home, 'scenarios/x.json'), JSON.stringify({ scenarios: NAMES.map((name) => ({ name, looseMessages: name === 'pods/loose' })) }));

const replayed = (name: string, ...steps: readonly number[]) => ({ name, area: name.split('/')[0] ?? '', failures: steps.map((step) => ({ step })) });

test('steps that say something count, in areas about kinds, where texts are compared and not different on purpose', () => {
  const shares = sharesOf(home, NAMES.map((name) => replayed(name, 1, 2)), new Set(['pods/left']));
  assert.deepEqual([...shares], [['pods', { verbatim: 1, compared: 2 }]]);
  assert.equal(percentOf(totalOf(shares)), '50.0 %');
});

test('a scenario that could not be run has no message as recorded', () => {
  assert.deepEqual([...sharesOf(home, [replayed('pods/a', -1)], new Set())], [['pods', { verbatim: 0, compared: 2 }]]);
});

test('the floor only rises', () => {
  fs.writeFileSync(path.join(home, 'verbatim-messages.orch.txt'), '5\n');
  raiseFloor(home, 'orch', 4);
  assert.equal(readFloor(home, 'orch'), 5);
  raiseFloor(home, 'orch', 6);
  assert.equal(readFloor(home, 'orch'), 6);
});
