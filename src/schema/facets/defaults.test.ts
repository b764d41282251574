import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '../dsl.ts';
import type { MessageClass } from '../field.ts';
import { decode } from './decode.ts';
import { applyDefaults } from './defaults.ts';

class Port extends t.message('test.Port', { port: t.int32(1).required(), protocol: t.string(2).default('TCP'), target: t.intOrString(3) }, {
  defaults(port) {
    if (port.target === 0) port.target = port.port;
  },
}) {}

class Handler extends t.message('test.Handler', { scheme: t.string(1).default('HTTP'), port: t.perhaps(2, Port) }) {}

interface NodeValue {
  mode?: string;
  next?: NodeValue;
}

class Chain extends (t.message('test.Chain', {
  next: t.lazy(1, (): MessageClass<NodeValue> => Chain),
  mode: t.string(2).default('deep'),
}) as MessageClass<NodeValue>) {}

class Plain extends t.message('test.Plain', { text: t.string(1) }) {}

class Spec extends t.message(
  'test.Spec',
  {
    replicas: t.maybe.int32(1).default(1),
    policy: t.string(2).always().default('Always'),
    list: t.strings(3).default(['a']),
    ports: t.many(4, Port),
    byName: t.map(5, Port),
    handler: t.inline(6, Handler),
    chain: t.perhaps(7, Chain),
    plain: t.perhaps(8, Plain),
  },
  {
    defaults(spec) {
      // Runs after the fixed defaults and before members.
      if (spec.policy === 'Always' && spec.plain !== undefined && spec.plain !== null) spec.plain.text = 'seen';
    },
  },
) {}

const filled = (source: unknown): Record<string, unknown> => {
  const value = decode(Spec.type, source);
  applyDefaults(Spec.type, value);
  return value;
};

test('what is absent is filled, also where an empty text is always written', () => {
  assert.deepEqual(filled({}), { replicas: 1, policy: 'Always', list: ['a'], scheme: 'HTTP' });
});

test('what is there stays, zeros of optional members included', () => {
  assert.deepEqual(filled({ replicas: 0, policy: 'Never', list: ['b'], scheme: 'X' }), { replicas: 0, policy: 'Never', list: ['b'], scheme: 'X' });
});

test('defaults reach lists, maps, optional and inline messages, and messages inside themselves', () => {
  const value = filled({ ports: [{ port: 80 }], byName: { a: { port: 1, target: 'x' } }, port: { port: 5 }, chain: { next: { next: {} } } });
  assert.deepEqual(value['ports'], [{ port: 80, protocol: 'TCP', target: 80 }]);
  assert.deepEqual(value['byName'], { a: { port: 1, protocol: 'TCP', target: 'x' } });
  assert.deepEqual(value['port'], { port: 5, protocol: 'TCP', target: 5 });
  assert.deepEqual(value['chain'], { next: { next: { mode: 'deep' }, mode: 'deep' }, mode: 'deep' });
});

test('the hook sees the fixed defaults', () => {
  assert.deepEqual(filled({ plain: {} })['plain'], { text: 'seen' });
});

test('a default that is a list is not shared between objects', () => {
  const one = filled({});
  (one['list'] as string[]).push('changed');
  assert.deepEqual(filled({})['list'], ['a']);
});

test('filling twice changes nothing', () => {
  const value = filled({ ports: [{ port: 80 }], chain: {} });
  const before = structuredClone(value);
  applyDefaults(Spec.type, value);
  assert.deepEqual(value, before);
});
