import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { KeyTurns } from './key-turns.ts';
import { KEY_TURN_MS } from './limits.ts';

const KEY = '/k';
const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

const whoHasTurn = (turns: KeyTurns): readonly object[] => [a, b, c].filter((process) => turns.isContended(KEY) && turns.waitFor(KEY, process) === undefined);

test('processes that try again have turns in the order in which they asked, and others wait for the present one alone', async () => {
  const turns = new KeyTurns(new StillClock());
  assert.deepEqual(whoHasTurn(turns), []);
  turns.ask(KEY, a);
  turns.ask(KEY, b);
  turns.ask(KEY, a);
  assert.deepEqual(whoHasTurn(turns), [a]);
  assert.equal(turns.waitFor('/other', c), undefined);
  const waited = turns.waitFor(KEY, c);
  turns.end(KEY, a);
  await waited;
  assert.deepEqual(whoHasTurn(turns), [b]);
  turns.end(KEY, c);
  assert.deepEqual(whoHasTurn(turns), [b]);
  turns.end(KEY, b);
  assert.equal(turns.isContended(KEY), false);
});

test('a turn that is not used ends, and who has it prolongs it by asking again, but nobody else does', async () => {
  const clock = new StillClock();
  const turns = new KeyTurns(clock);
  turns.ask(KEY, a);
  clock.turn(KEY_TURN_MS);
  assert.equal(turns.isContended(KEY), false);
  turns.ask(KEY, a);
  turns.ask(KEY, b);
  clock.turn(KEY_TURN_MS - 1);
  turns.ask(KEY, a);
  clock.turn(KEY_TURN_MS - 1);
  turns.ask(KEY, b);
  turns.ask(KEY, c);
  turns.end(KEY, c);
  assert.deepEqual(whoHasTurn(turns), [a]);
  const waited = turns.waitFor(KEY, b);
  clock.turn(1);
  assert.deepEqual(whoHasTurn(turns), [b]);
  await waited;
  clock.turn(KEY_TURN_MS);
  assert.equal(turns.isContended(KEY), false);
});

test('a turn is as long as any after one that was over early', () => {
  const clock = new StillClock();
  const turns = new KeyTurns(clock);
  turns.ask(KEY, a);
  clock.turn(KEY_TURN_MS - 1);
  turns.end(KEY, a);
  turns.ask(KEY, a);
  clock.turn(KEY_TURN_MS - 1);
  assert.deepEqual(whoHasTurn(turns), [a]);
});

test('who waits in the queue and has written meanwhile gives its turn up', () => {
  const turns = new KeyTurns(new StillClock());
  turns.ask(KEY, a);
  turns.ask(KEY, b);
  turns.ask(KEY, c);
  turns.end(KEY, b);
  turns.end(KEY, a);
  assert.deepEqual(whoHasTurn(turns), [c]);
});
