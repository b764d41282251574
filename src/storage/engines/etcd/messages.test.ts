import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeLease, decodeRange, decodeTxn, decodeWatch, encodeCompact, encodeLease, encodeRange, encodeTxn, encodeWatch } from './messages.ts';
import { fieldsOf, MessageWriter } from './wire.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('messages of etcd', () => {
  it('are written with the field numbers of its protocol', () => {
    const rows: readonly (readonly [Buffer, string])[] = [
      [encodeRange({ key: bytes('a') }), '0a01 61'],
      [encodeRange({ key: bytes('a'), end: bytes('b'), limit: 300, revision: 5, countOnly: true }), '0a0161 120162 18ac02 2005 4801'],
      [
        encodeTxn({ compare: { key: bytes('k'), modRevision: 7 }, success: { put: { key: bytes('k'), value: bytes('v'), lease: 2n ** 62n } }, failure: { range: { key: bytes('k') } } }),
        '0a07 1a016b 1002 3007  1212 1210 0a016b 120176 18 808080808080808040  1a05 0a03 0a016b',
      ],
      [encodeTxn({ compare: { key: bytes('k'), modRevision: 0 }, success: { remove: bytes('k') }, failure: { range: { key: bytes('k') } } }), '0a05 1a016b 1002  1205 1a03 0a016b  1a05 0a03 0a016b'],
      [
        encodeTxn({ compare: { key: bytes('k'), modRevision: 0 }, preconditions: [{ key: bytes('g'), modRevision: 7 }, { key: bytes('h'), modRevision: 8 }], success: { remove: bytes('k') }, failure: { range: { key: bytes('k') } } }),
        '0a05 1a016b 1002  0a07 1a0167 1002 3007  0a07 1a0168 1002 3008  1205 1a03 0a016b  1a05 0a03 0a016b',
      ],
      [encodeCompact({ revision: 9 }), '0809'],
      [encodeLease({ ttlSeconds: 60 }), '083c'],
      [encodeWatch({ key: Buffer.of(0), end: Buffer.of(0), startRevision: 2 }), '0a0c 0a0100 120100 1802 3001 4001'],
      [encodeWatch({ key: Buffer.of(0), end: Buffer.of(0), startRevision: 2, id: 1 }), '0a0e 0a0100 120100 1802 3001 3801 4001'],
      [encodeWatch({ cancel: 1 }), '1202 0801'],
    ];
    for (const [written, expected] of rows) assert.equal(written.toString('hex'), hex(expected).toString('hex'));
  });

  it('are read by them, whatever else they hold', () => {
    const entry = '0a016b 1002 1803 2001 2a0176 3000';
    assert.deepEqual(decodeRange(hex(`0a04 0807 1805  120e${entry}  1801 2007 9a0600`)), {
      clusterId: 7n,
      revision: 5,
      entries: [{ key: Buffer.from('k'), value: bytes('v'), modRevision: 3, version: 1 }],
      more: true,
      count: 7,
    });
    assert.deepEqual(decodeTxn(hex('0a02 1808 1001 1a02 1200')), { clusterId: 0n, revision: 8, succeeded: true, found: undefined });
    assert.equal(decodeTxn(hex(`0a02 1808 1a12 0a10 120e${entry}`)).found?.modRevision, 3);
    assert.equal(decodeLease(hex('0a00 10ffffffffffffffff7f 183c')), 2n ** 63n - 1n);
    const watched = decodeWatch(hex(`0a02 1809 5a12 0801 120e${entry} 3801`));
    assert.deepEqual([watched.revision, watched.fragment, watched.events.length, watched.events[0]?.deleted], [9, true, 1, true]);
    const begun = decodeWatch(hex('0a02 1809 1801'));
    assert.deepEqual([watched.id, decodeWatch(hex('0a02 1809 1001 1801')).id], [0, 1]);
    assert.deepEqual([begun.created, begun.canceled, decodeWatch(hex('2001')).canceled], [true, false, true]);
    const [changed] = decodeWatch(hex(`0a02 1809 5a22 0800 120e${entry} 1a0e${entry.replace('1803', '1802')}`)).events;
    assert.deepEqual([changed?.deleted, changed?.entry.modRevision, changed?.before?.modRevision], [false, 3, 2]);
    assert.deepEqual([decodeWatch(hex('2001 2805 320161')).compactRevision, decodeWatch(hex('2001 320161')).cancelReason], [5, 'a']);
  });

  it('that lack what says which key they are about, and when it was written, are none', () => {
    const event = (inside: string): Buffer => hex(`0a02 1809 5a${(inside.replaceAll(' ', '').length / 2).toString(16).padStart(2, '0')} ${inside}`);
    assert.throws(() => decodeWatch(event('0801')), RangeError);
    for (const entry of ['05 1803 2a0176', '06 0a016b 2a0176', '08 0a016b 1800 2a0176']) {
      assert.throws(() => decodeRange(hex(`0a02 1805 12${entry}`)), RangeError, entry);
      assert.throws(() => decodeWatch(event(`12${entry}`)), RangeError, entry);
    }
  });

  it('hold numbers exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.maxSafeNat(), (big, small) => {
        const [first, second] = [...fieldsOf(new MessageWriter().int(1, big === 0n ? 1n : big).int(2, small === 0 ? 1 : small).finish())];
        assert.equal(first?.big(), big === 0n ? 1n : big);
        assert.equal(second?.int, small === 0 ? 1 : small);
      }),
    );
  });

  it('that are cut off or no messages at all end in a RangeError or nothing, never in a hang', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60, size: 'max' }), (message) => {
        for (const decode of [decodeRange, decodeTxn, decodeWatch, decodeLease]) {
          try {
            decode(message);
          } catch (error) {
            assert.ok(error instanceof RangeError, String(error));
          }
        }
      }),
    );
    assert.throws(() => decodeRange(hex('0aff')), RangeError);
  });
});
