import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceIps } from './source-ips.ts';

const rows: readonly (readonly [forwarded: string, real: string, remote: string | undefined, expected: readonly string[]])[] = [
  ['', '', '10.0.0.1', ['10.0.0.1']],
  ['', '', '::ffff:10.0.0.1', ['10.0.0.1']],
  ['1.1.1.1, 2.2.2.2', '', '10.0.0.1', ['1.1.1.1', '2.2.2.2', '10.0.0.1']],
  ['1.1.1.1', '1.1.1.1', '10.0.0.1', ['1.1.1.1', '10.0.0.1']],
  ['1.1.1.1', '3.3.3.3', '3.3.3.3', ['1.1.1.1', '3.3.3.3']],
  ['1.1.1.1', '3.3.3.3', '10.0.0.1', ['1.1.1.1', '3.3.3.3', '10.0.0.1']],
  ['10.0.0.1, 1.1.1.1', '10.0.0.1', '10.0.0.1', ['10.0.0.1', '1.1.1.1', '10.0.0.1']],
  ['1.1.1.1, 10.0.0.1, 2.2.2.2', '', '10.0.0.1', ['1.1.1.1', '10.0.0.1', '2.2.2.2', '10.0.0.1']],
  ['1.1.1.1, 2.2.2.2, 10.0.0.1', '', '10.0.0.1', ['1.1.1.1', '2.2.2.2', '10.0.0.1']],
  ['nonsense, 1.1.1.1,,fe80::1%eth0', 'x', undefined, ['1.1.1.1']],
  [',1.1.1.1'.repeat(500).slice(1), '', '10.0.0.1', [...Array.from({ length: 32 }, () => '1.1.1.1'), '10.0.0.1']],
];

for (const [forwarded, real, remote, expected] of rows) {
  test(`"${forwarded.slice(0, 40)}" "${real}" ${remote}`, () => {
    const headers = new Map([['x-forwarded-for', forwarded], ['x-real-ip', real]].flatMap(([name = '', value = '']) => (value === '' ? [] : [[name, [value]] as const])));
    assert.deepEqual(sourceIps({ headers, ...(remote === undefined ? {} : { remoteAddress: remote }) }), expected);
  });
}
