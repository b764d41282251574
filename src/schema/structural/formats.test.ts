import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfFormat } from './formats.ts';

const FORMATS: readonly (readonly [format: string, taken: readonly string[], refused: readonly string[]])[] = [
  ['email', ['a@b', '"x y"@b.c', 'A <a@b.c>', 'ü@x.y', ' a@b'], ['a', 'a@', 'a.@b', '.a@b', 'a..b@c', '""@b', 'a@b c', 'A a@b.c', '<a@b']],
  ['uri', ['http://a/b?c', '/a', '//a{', '*', 'fe80::1%eth0', 'urn:x', 'http://a:1:2/', 'http://[::1]:80/'], ['a', '', ':a', '1a:/', '/%zz', 'http://a b', 'http://a:b/', 'http://x/%zz', 'http://[::1', 'http://a^@b/']],
  ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab', `01${':00'.repeat(19)}`, '01-23-45-67-89-AB'], ['01:23-45:67:89:ab', '01:23:45:67:89', '0123.4567', '0123456789ab']],
  ['creditcard', ['4111 1111 1111 1111', '378282246310005'], ['4111111111111112', '1234567812345670', '000000000000']],
  ['ssn', ['123-45-6789', '123 45 6789'], ['123456789', '123-456789']],
  ['duration', ['1h', '1.5h', '3 weeks', 'in 5 minutes', `${'0'.repeat(200)}1 d`, '1 foo 2 d'], ['1', '', '5 foo', '99999999999999999999 d', '99999999999999999999 foo 1 d']],
  ['date-time', ['2020-01-01T00:00:00Z', '2020-01-01t00:00:00+25:00', '2020-01-01T00:00:00Ztail'], ['2020-01-01', '2020-02-30T00:00:00Z', '2020-01-01T24:00:00Z', '2020-01-01T00:00:00']],
];

for (const [format, taken, refused] of FORMATS) {
  test(`texts of the format ${format}`, () => {
    assert.deepEqual(taken.filter((text) => !isOfFormat(format, text)), []);
    assert.deepEqual(refused.filter((text) => isOfFormat(format, text)), []);
  });
}

test('no text takes long to be judged', () => {
  const [many, spaced] = ['1'.repeat(60_000), '"x" '.repeat(15_000)];
  for (const format of ['duration', 'email', 'uri', 'creditcard']) for (const text of [many, spaced, `${many}@`, `<${many}`]) isOfFormat(format, text);
});
