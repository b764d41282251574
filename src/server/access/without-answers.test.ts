import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '#base';
import { serviceUnavailable } from '#errors';
import { withoutAnswers } from './without-answers.ts';

/** What a log is given for these fields. */
function logged(message: string, fields?: Readonly<Record<string, unknown>>): readonly [string, Readonly<Record<string, unknown>> | undefined] {
  const heard: [string, Readonly<Record<string, unknown>> | undefined][] = [];
  const note: Log['warn'] = (text, more) => void heard.push([text, more]);
  withoutAnswers({ info: note, warn: note, error: note }).warn(message, fields);
  return heard[0] ?? ['', undefined];
}

test('answers are left out of messages, fields, failures, their stacks and their causes', () => {
  const quoted = 'https://a answered with status 500: "it \\"said\\" this" (more)';
  assert.deepEqual(logged(quoted), ['https://a answered with status 500: <not logged> (more)', undefined]);
  assert.equal(logged('an error on the server ("it \\"said\\" this") has prevented it')[0], 'an error on the server (<not logged>) has prevented it');
  assert.equal(logged('webhook "w" sent a patch that breaks the object: data: found the string "said" (rules[0])')[0], 'webhook "w" sent a patch that breaks the object: <not logged>');
  assert.equal(logged('webhook "w" sent a patch that cannot be applied: there is no "said"')[0], 'webhook "w" sent a patch that cannot be applied: <not logged>');
  const cause = new Error('admission webhook "w" denied the request: it\nsaid this');
  const failure = new Error(`failed calling: ${quoted}`, { cause });
  const [, { error, plain, count } = {}] = logged('m', { error: failure, plain: 'x answered with something that is no JSON: "said', count: 3 });
  assert.ok(error instanceof Error && error.cause instanceof Error);
  assert.doesNotMatch(`${error.message}${error.stack}${error.cause.message}${error.cause.stack}`, /said/);
  assert.match(error.message, /^failed calling: https:\/\/a answered with status 500: <not logged>/);
  assert.equal(error.cause.message, 'admission webhook "w" denied the request: <not logged>');
  assert.deepEqual([plain, count], ['x answered with something that is no JSON: <not logged>', 3]);
  assert.match(failure.message, /said/);
});

test('answers are left out where only one of message, stack and cause has them', () => {
  const answer = 'answered with status 500: "it said this"';
  const inMessage = Object.assign(new Error(answer), { stack: 'Error: at a' });
  const inStack = Object.assign(new Error('failed'), { stack: `Error: ${answer}` });
  const inCause = new Error('failed', { cause: inMessage });
  for (const failure of [inMessage, inStack, inCause]) {
    const { error } = logged('m', { error: failure })[1] ?? {};
    assert.ok(error instanceof Error);
    assert.doesNotMatch(`${error.message}${error.stack}${String(error.cause)}`, /said/);
  }
});

test('a failure without answers stays the object that it is', () => {
  const failure = serviceUnavailable('the store has no space left');
  assert.equal(logged('m', { failure })[1]?.['failure'], failure);
});
