import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { forDialling, Lookups, type Told } from './lookups.ts';

const FOUND = [{ address: '192.0.2.1', family: 4 }];

/** A name server that answers when it is told to, and writes down what it is asked. */
class NameServer {
  readonly clock = new StillClock();
  readonly lookups = new Lookups(this.clock, (host, _how, told) => {
    this.asked.push(host);
    this.#open.push({ host, told });
  });
  readonly asked: string[] = [];
  readonly #open: { readonly host: string; readonly told: Told }[] = [];

  /** Answers the oldest question about the name, after so long. */
  answer(host: string, afterMs = 0): void {
    this.clock.turn(afterMs);
    const at = this.#open.findIndex((one) => one.host === host);
    assert.notEqual(at, -1, `nobody asks for ${host}`);
    const [question] = this.#open.splice(at, 1);
    question?.told(null, FOUND);
  }

  /** Asks; the answers come into the list. */
  find(host: string, into: string[] = []): void {
    this.lookups.find(host, {}, (failure, found) => into.push(`${host} ${failure?.message ?? found[0]?.address}`));
  }

  /** Lets a name be slow once. */
  knowAsSlow(...hosts: readonly string[]): void {
    for (const host of hosts) {
      this.find(host);
      this.answer(host, 10_000);
    }
    this.asked.length = 0;
  }
}

test('a name that many wait for is asked for once, and all of them are told', () => {
  const server = new NameServer();
  const told: string[] = [];
  for (let n = 0; n < 3; n++) server.find('hook.example.com', told);
  assert.deepEqual([server.asked, told], [['hook.example.com'], []]);
  server.answer('hook.example.com');
  assert.deepEqual(told, Array(3).fill('hook.example.com 192.0.2.1'));
  server.find('hook.example.com', told);
  assert.equal(server.asked.length, 2, 'an answer is not kept');
});

test('names that were slow wait for each other and hold up no others', () => {
  const server = new NameServer();
  server.knowAsSlow('a.example.com', 'b.example.com');
  const told: string[] = [];
  for (const name of ['a', 'b', 'b', 'c']) server.find(`${name}.example.com`, told);
  assert.deepEqual(server.asked, ['a.example.com', 'c.example.com']);
  server.answer('c.example.com');
  server.answer('a.example.com', 10_000);
  assert.deepEqual(server.asked, ['a.example.com', 'c.example.com', 'b.example.com']);
  server.answer('b.example.com');
  assert.deepEqual(told, ['c', 'a', 'b', 'b'].map((name) => `${name}.example.com 192.0.2.1`));
});

test('a name that is found in time again waits for no other any more', () => {
  const server = new NameServer();
  server.knowAsSlow('a.example.com', 'b.example.com');
  server.find('b.example.com');
  server.answer('b.example.com');
  server.find('a.example.com');
  server.find('b.example.com');
  assert.deepEqual(server.asked, ['b.example.com', 'a.example.com', 'b.example.com']);
});

test('of very many slow names the oldest are forgotten', () => {
  const server = new NameServer();
  const names = Array.from({ length: 10_001 }, (_, n) => `${n}.example.com`);
  server.knowAsSlow(...names);
  const [first = '', second = '', third = ''] = names;
  for (const name of [third, second, first]) server.find(name);
  assert.deepEqual(server.asked, [third, first], 'the first is slow no more, the second waits');
});

test('whoever dials is told all addresses, the first, or why there is none', () => {
  const two = [...FOUND, { address: '192.0.2.2', family: 4 }];
  const told: unknown[] = [];
  const note = (...answer: unknown[]): void => void told.push(answer);
  const known = forDialling((_host, _how, hear) => hear(null, two));
  known('a.example.com', { all: true }, note);
  known('a.example.com', {}, note);
  const failure = Object.assign(new Error('getaddrinfo ENOTFOUND a.example.com'), { code: 'ENOTFOUND' });
  forDialling((_host, _how, hear) => hear(failure, []))('a.example.com', {}, note);
  assert.deepEqual(told, [[null, two], [null, '192.0.2.1', 4], [failure, []]]);
});
