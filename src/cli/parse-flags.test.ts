import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CommandFlag } from './flag.ts';
import { parseFlags } from './parse-flags.ts';
import { UsageError } from './usage-error.ts';

const TABLE: readonly CommandFlag[] = [
  { name: 'anonymous-auth', type: 'boolean', default: true, help: '' },
  { name: 'all', short: 'A', type: 'boolean', default: false, help: '' },
  { name: 'watch', short: 'w', type: 'boolean', help: '' },
  { name: 'output', short: 'o', type: 'string', choices: ['yaml', 'json'], help: '' },
  { name: 'filename', short: 'f', type: 'string', isList: true, help: '' },
  { name: 'names', type: 'string', isList: true, mayBeEmpty: true, help: '' },
  { name: 'secure-port', type: 'number', default: 6443, max: 65535, help: '' },
  { name: 'data-dir', type: 'string', help: '' },
];

const parse = (line: string): ReturnType<typeof parseFlags> => parseFlags(line === '' ? [] : line.split(' '), TABLE);

describe('parseFlags', () => {
  test('defaults stand where nothing is given', () => {
    const { flags, words } = parse('');
    assert.equal(flags.isOn('anonymous-auth'), true);
    assert.equal(flags.number('secure-port'), 6443);
    assert.equal(flags.text('data-dir'), undefined);
    assert.deepEqual(words, []);
  });

  for (const line of ['--anonymous-auth=false', '--anonymous_auth=false', '--anonymous-auth=False', '--anonymous-auth=0', '--anonymous-auth --anonymous-auth=f']) {
    test(`${line} switches off`, () => assert.equal(parse(line).flags.isOn('anonymous-auth'), false));
  }

  test('the values of a list as text have commas between them', () => assert.equal(parse('-f a -f b,c').flags.text('filename'), 'a,b,c'));

  test('an empty text is a list of nothing where a flag may be empty, and a mistake elsewhere', () => {
    assert.deepEqual([parse('--names=').flags.list('names'), parse('--names= --names=a').flags.list('names')], [[], ['a']]);
    assert.equal(parse('--names=').flags.given.has('names'), true);
    for (const line of ['--filename=', '--data-dir=', '--secure-port=']) assert.throws(() => parse(line), UsageError);
  });

  test('a switch takes no word', () => {
    const { flags, words } = parse('--all false');
    assert.equal(flags.isOn('all'), true);
    assert.deepEqual(words, ['false']);
  });

  for (const line of ['-o yaml', '-oyaml', '-o=yaml', '--output yaml', '--output=yaml', '--output=json --output=yaml']) {
    test(`${line} is yaml`, () => assert.equal(parse(line).flags.text('output'), 'yaml'));
  }

  test('letters of switches stand together, the last one may take a value', () => {
    const { flags } = parse('-Awoyaml');
    assert.deepEqual([flags.isOn('all'), flags.isOn('watch'), flags.text('output')], [true, true, 'yaml']);
  });

  test('lists keep every value, and - is one', () => assert.deepEqual(parse('-f a -f - --filename=b=c').flags.list('filename'), ['a', '-', 'b=c']));
  test('_ in values stays', () => assert.equal(parse('--data_dir=a_b').flags.text('data-dir'), 'a_b'));
  test('after -- everything is a word', () => assert.deepEqual(parse('get -- -o --help').words, ['get', '-o', '--help']));
  test('help is seen anywhere before --', () => assert.equal(parse('x --all -h').isHelpAsked, true));

  const mistakes: readonly (readonly [string, RegExp])[] = [
    ['--secure-prot=1', /unknown flag --secure-prot; did you mean --secure-port\?/],
    ['--v=4', /^unknown flag --v$/],
    ['-v=4', /^unknown flag -v$/],
    ['--__proto__=1', /unknown flag --/],
    ['--constructor', /unknown flag --constructor/],
    ['--anonymous-auth=maybe', /true or false, not "maybe"/],
    ['--secure-port=', /needs a value/],
    ['--secure-port', /needs a value/],
    ['--data-dir --all', /--data-dir needs a value/],
    ['--secure-port=1e3', /whole number from 0 to 65535, not "1e3"/],
    ['--secure-port=65536', /whole number from 0 to 65535/],
    ['--secure-port -1', /whole number from 0 to 65535, not "-1"/],
    ['-o yml', /one of yaml, json, not "yml"; did you mean yaml\?/],
  ];
  for (const [line, message] of mistakes) {
    test(`${line} is a mistake`, () => assert.throws(() => parse(line), (error) => error instanceof UsageError && message.test(error.message)));
  }
});
