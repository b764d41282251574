// What every answer to bad input has to look like, and a server to send it to.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { startTestServer, type TestAnswer, type TestServer, type TestServerOptions } from '#testing';

/** Fixed, so that a failure here is a failure everywhere; printed, so that it can be changed. */
export const SEED = 20_230_123;

/** Bounded runs with the fixed seed. */
export const bounded = (numRuns: number): { seed: number; numRuns: number; endOnFailure: boolean } => ({ seed: SEED, numRuns, endOnFailure: true });

/** A server for a file of tests. Failures it logs as unexpected are collected: there must be none. */
export function brokenInto(options: TestServerOptions = {}): () => TestServer {
  let server: TestServer | undefined;
  const unexpected: string[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    // What is wrong with an applied object is answered with a 500, as in Kubernetes, and so stands in the log.
    error: (message: string, fields: { readonly error?: unknown } = {}) => {
      if (!/^(?:DecodeFailure|ApiError)\b/.test(String(fields.error))) unexpected.push(`${message} ${JSON.stringify(fields)}`);
    },
  };
  before(async () => {
    console.log(`seed ${SEED}`);
    server = await startTestServer({ log, controllers: 'none', ...options });
  });
  after(async () => {
    if (server !== undefined) await stillAnswers(server);
    await server?.close();
    assert.deepEqual(unexpected, [], 'the server met failures it did not expect');
  });
  return () => {
    if (server === undefined) throw new Error('the server has not started');
    return server;
  };
}

/** Refused with a Status that tells nothing of the inside. `codes` allows more than 4xx. */
export function refused(answer: TestAnswer, codes: readonly number[] = []): void {
  const { status, body, text } = answer;
  assert.ok((status >= 400 && status < 500) || codes.includes(status), `expected a refusal, got ${status}: ${text.slice(0, 300)}`);
  assert.deepEqual([body?.kind, body?.status, body?.code], ['Status', 'Failure', status], text.slice(0, 300));
  showsNothing(answer);
}

/** Either done or refused, never a failure of the server, and nothing of the inside on the wire. */
export function doneOrRefused(answer: TestAnswer, codes: readonly number[] = []): void {
  if (answer.status >= 400 && answer.headers['content-type']?.startsWith('application/json')) refused(answer, codes);
  else assert.ok(answer.status < 500, `${answer.status}: ${answer.text.slice(0, 300)}`);
}

/** No stack, no file of ours. */
export function showsNothing({ text }: TestAnswer): void {
  assert.doesNotMatch(text, /\n\s+at |\.(?:ts|js|mjs):\d+|node:internal|node_modules|\/(?:dist|src)\/[a-z]|TypeError|RangeError|Maximum call stack/);
}

export async function stillAnswers(server: TestServer): Promise<void> {
  const answer = await server.request('GET', '/api/v1/namespaces/default');
  assert.equal(answer.status, 200, answer.text);
  for (const key of ['polluted', 'a', 'x', 'data', 'labels', 'isAdmin']) assert.equal(Reflect.get(Object.prototype, key), undefined, `Object.prototype.${key}`);
  assert.deepEqual(Object.keys(Object.prototype), []);
}
