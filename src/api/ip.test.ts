import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blockHas, isIpv4, parseCidr, parseIp } from './ip.ts';

test('addresses', () => {
  assert.deepEqual(parseIp('10.9.8.7'), [10, 9, 8, 7]);
  assert.deepEqual(parseIp('010.09.8.7'), [10, 9, 8, 7]);
  assert.deepEqual(
    parseIp('::'),
    Array.from({ length: 16 }, () => 0),
  );
  assert.deepEqual(parseIp('2001:db8::1')?.slice(0, 4), [0x20, 0x01, 0x0d, 0xb8]);
  assert.deepEqual(parseIp('::ffff:1.2.3.4')?.slice(10), [255, 255, 1, 2, 3, 4]);
  assert.equal(parseIp('1:2:3:4:5:6:7:8')?.length, 16);
  const bad = [
    '',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.',
    'a',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '::12345',
    '::g',
  ];
  for (const text of [...bad, '1.2.3.4:80', 'fe80::1%eth0', '::1.2.3', '1.2.3.4::', '1'.repeat(100)])
    assert.equal(parseIp(text), undefined, text);
});

test('a text is an IPv4 address where it has four decimal numbers below 256 between its dots', () => {
  const likely = fc.stringMatching(/^(?:\d{0,4}\.){2,4}[0-9a]{0,3}$/);
  fc.assert(
    fc.property(likely, (text) => {
      const numbers = text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 256));
      assert.deepEqual(parseIp(text), numbers.length === 4 && numbers.every((number) => number < 256) ? numbers : undefined);
    }),
    { numRuns: 5_000 },
  );
});

test('an IPv6 address that wraps an IPv4 address counts as IPv4', () => {
  assert.equal(isIpv4(parseIp('::ffff:1.2.3.4') ?? []), true);
  assert.equal(isIpv4(parseIp('::1') ?? []), false);
});

test('blocks', () => {
  assert.deepEqual(parseCidr('10.1.2.3/16'), { network: [10, 1, 0, 0], prefixLength: 16 });
  assert.deepEqual(parseCidr('10.1.2.3/0'), { network: [0, 0, 0, 0], prefixLength: 0 });
  assert.deepEqual(parseCidr('10.1.2.255/29')?.network, [10, 1, 2, 248]);
  assert.equal(parseCidr('2001:db8::/32')?.prefixLength, 32);
  for (const text of ['', '10.0.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '::/129', '10.0.0.0/8x', 'x/8'])
    assert.equal(parseCidr(text), undefined, text);
});

test('every address lies in every block made from it, and families do not mix', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), fc.integer({ min: 0, max: 32 }), (ip, prefixLength) => {
      const block = parseCidr(`${ip.join('.')}/${prefixLength}`);
      return block !== undefined && blockHas(block, ip) && !blockHas(block, parseIp('::1') ?? []);
    }),
  );
});
