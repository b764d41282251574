import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfFormat } from './formats.ts';

const FORMATS: readonly (readonly [format: string, taken: readonly string[], refused: readonly string[]])[] = [
  ['email', ['a@b', '"x y"@b.c', 'A <a@b.c>', 'ü@x.y', ' a@b', 'a@b (at \\) (home)) ()\t', '<a@b>(x)', 'Team: A <a@b> (x) ; (y)', '"x": a@b;'], ['a@b (', 'a@b (\\', 'a@b )', '(x) a@b', ':a@b;', 'Team: a@b', 'Team:;', 'Team: a@b, c@d;', 'Team: a@b; c', 'a', 'a@', 'a.@b', '.a@b', 'a..b@c', '""@b', 'a@b c', 'A a@b.c', '<a@b']],
  ['uri', ['http://a/b?c', '/a', '//a{', '*', 'fe80::1%eth0', 'urn:x', 'http:/a', 'http://a:1:2/', 'http://[::1]:80/'], ['a', '', ':a', '/a\u0001', 'http:/%zz', '1a:/', '/%zz', 'http://a b', 'http://a:b/', 'http://x/%zz', 'http://[::1', 'http://a^@b/']],
  ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab', `01${':00'.repeat(19)}`, '01-23-45-67-89-AB'], ['01:23-45:67:89:ab', '01:23:45:67:89', '0123.4567', '0123456789ab']],
  ['creditcard', ['4111 1111 1111 1111', '378282246310005', '30569309025904'], ['4111111111111112', '1234567812345670', '000000000000']],
  ['ssn', ['123-45-6789', '123 45 6789'], ['123456789', '123-456789']],
  ['duration', ['1h', '1.5h', '3 weeks', 'in 5 minutes', `${'0'.repeat(200)}1 d`, '1 foo 2 d', '9223372036854775807 foo 1 d'], ['1', '9223372036854775808 foo 1 d', '', '5 foo', '99999999999999999999 d', '99999999999999999999 foo 1 d']],
  ['date-time', ['2020-01-01T00:00:00Z', '2020-01-01t00:00:00+25:00', '2020-01-01T00:00:00Ztail', '2020-01-01T23:59:59Z'], ['2020-01-01', '2020-01-01T00:60:00Z', '2020-01-01T00:00:60Z', '2020-02-30T00:00:00Z', '2020-01-01T24:00:00Z', '2020-01-01T00:00:00']],
  ['ipv4', ['0.0.0.0', '255.255.255.255', '::1.2.3.4', '::01.2.3.4'], ['256.0.0.1', '1.2.3', '1.2.3.4.5', '::1']],
  ['ipv6', ['::', '1::', '::8', '1::8', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6::8', '1:2:3:4:5:6:1.2.3.4', '00000001::000ffff'], ['::01.2.3.4', '010000::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7::8', '1::2::3', '12345::', 'g::', '1:2:3:4:5:6:7:1.2.3.4', '::1.2.3.256', '1.2.3.4']],
  ['cidr', ['0.0.0.0/0', '10.0.0.0/32', '::/0', '::1/128', '::01.2.3.4/96'], ['10.0.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x', '/8', '::/129']],
  ['hostname', ['a'.repeat(63), `${'a'.repeat(63)}.com`, 'ü'.repeat(31), `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(63)}`], ['a'.repeat(64), `${'a'.repeat(64)}.com`, 'ü'.repeat(32), `${'aa.'.repeat(85)}com`, 'a.b', 'a..com']],
  ['uuid', ['123e4567e89b12d3a456426614174000', '123E4567-e89b-62d3-0456-426614174000'], ['123e4567-e89b-12d3-a456-42661417400', 'g23e4567-e89b-12d3-a456-426614174000']],
  ['uuid3', ['123e4567-e89b-32d3-0456-426614174000'], ['123e4567-e89b-42d3-0456-426614174000']],
  ['uuid4', ['123e4567-e89b-42d3-8456-426614174000', '123e4567-e89b-42d3-B456-426614174000'], ['123e4567-e89b-32d3-8456-426614174000', '123e4567-e89b-42d3-c456-426614174000']],
  ['uuid5', ['123e4567-e89b-52d3-9456-426614174000'], ['123e4567-e89b-42d3-9456-426614174000', '123e4567-e89b-52d3-7456-426614174000']],
  ['isbn10', ['0-306-40615-2', '080442957X', '0 306\t40615-2'], ['0\u00a0306406152', '0-306-40615-3', '0804429570', '978-0-306-40615-7']],
  ['isbn13', ['978-0-306-40615-7', '9783161484100'], ['978-0-306-40615-8', '9780306406175', '0-306-40615-2']],
  ['isbn', ['0-306-40615-2', '978-0-306-40615-7'], ['0-306-40615-3', '978-0-306-40615-8']],
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g']],
  ['hexcolor', ['#fff', 'fff', '#A0b1C2'], ['', '#ffff', '#ggg']],
  ['rgbcolor', ['rgb(0,1,255)', 'rgb( 10 , 99 , 100 )', 'rgb(\n1,2\f,3)'], ['rgb(\u00a01,2,3)', 'rgb(1,\v2,3)', 'rgb(256,0,0)', 'rgb(01,0,0)', 'rgb(0,0)']],
  ['byte', ['YQ==', 'YWI=', 'YWJj'.repeat(20_000)], ['', 'YQ', 'YQ=', 'Y===', 'a b=']],
];

for (const [format, taken, refused] of FORMATS) {
  test(`texts of the format ${format}`, () => {
    assert.deepEqual(taken.filter((text) => !isOfFormat(format, text)), []);
    assert.deepEqual(refused.filter((text) => isOfFormat(format, text)), []);
  });
}

test('content and secrets are texts of their format however long they are', () => {
  const long = 'YWJj'.repeat(100_000);
  for (const [format, text] of [['uri', `data:text/plain;base64,${long}`], ['password', long], ['byte', long], ['by-te', long]] as const) assert.ok(isOfFormat(format, text), format);
});

test('no text takes long to be judged', () => {
  const [many, spaced] = ['1'.repeat(60_000), '"x" '.repeat(15_000)];
  const texts = [many, spaced, `${many}@`, `<${many}`, `a@b ${'('.repeat(60_000)}`, `${spaced}:`];
  for (const format of ['duration', 'email', 'uri', 'creditcard']) for (const text of texts) isOfFormat(format, text);
});
