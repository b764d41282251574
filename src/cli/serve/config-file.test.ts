import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { FEATURES, FLAG_GROUPS, FLAGS, groupOf, IDLE_FLAGS } from '#server';
import { parseFlags, type FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { withConfigFile } from './config-file.ts';
import { readFeatureGates } from './feature-gates.ts';
import { idleLines } from './idle-flags.ts';

const TABLE = [...FLAGS, ...IDLE_FLAGS];
const folder = mkdtempSync(path.join(tmpdir(), 'orch-config-'));
after(() => rmSync(folder, { recursive: true }));

const file = path.join(folder, 'config.yaml');
const read = (text: string, ...args: readonly string[]): Promise<FlagValues> => {
  writeFileSync(file, text);
  return withConfigFile(parseFlags([`--config=${file}`, ...args], TABLE).flags, TABLE);
};
const parse = (...args: readonly string[]): FlagValues => parseFlags(args, TABLE).flags;

describe('--config', () => {
  test('every type of value; defaults stand where neither says anything', async () => {
    const flags = await read('secure-port: 7443\nanonymous_auth: false\nlivez-grace-period: 1m\nservice-account-issuer: [a, b]\nruntime-config: {api/beta: false, x/v1: true}\noidc-required-claim: {a: "b,c", d: e}\n');
    assert.deepEqual([flags.number('secure-port'), flags.isOn('anonymous-auth'), flags.milliseconds('livez-grace-period')], [7443, false, 60_000]);
    assert.deepEqual([flags.list('service-account-issuer'), flags.list('runtime-config')], [['a', 'b'], ['api/beta=false', 'x/v1=true']]);
    assert.deepEqual(flags.list('oidc-required-claim'), ['a=b,c', 'd=e']);
    assert.deepEqual([flags.text('store'), flags.text('bind-address')], [undefined, '127.0.0.1']);
  });

  test('flags win, lists as a whole, also where they say the default', async () => {
    const flags = await read('secure-port: 7443\nbind-address: 0.0.0.0\nservice-account-issuer: [a, b]\n', '--secure-port=6443', '--service-account-issuer=c');
    assert.deepEqual([flags.number('secure-port'), flags.text('bind-address'), flags.list('service-account-issuer')], [6443, '0.0.0.0', ['c']]);
  });

  test('one document between markers', async () => assert.equal((await read('---\nsecure-port: 7443\n...\n')).number('secure-port'), 7443));

  test('lists and maps that are empty', async () => {
    const flags = await read('runtime-config: {}\nfeature-gates: []\nenable-admission-plugins:\n');
    for (const name of ['runtime-config', 'feature-gates', 'enable-admission-plugins']) assert.deepEqual([flags.list(name), flags.given.has(name)], [[], true], name);
  });

  test('an empty file says nothing', async () => assert.equal((await read('# nothing\n')).number('secure-port'), 6443));

  const mistakes: readonly (readonly [text: string, message: RegExp])[] = [
    ['secure-prot: 1', /config\.yaml: unknown flag --secure-prot; did you mean --secure-port\?/],
    ['secure-port: many', /--secure-port is a whole number/],
    ['runtime-config: {a: [b]}', /runtime-config: a flag has a text/],
    ['secure-port: [1, 2]', /config\.yaml: secure-port: this flag has one value/],
    ['bind_address: {a: b}', /config\.yaml: bind_address: this flag has one value/],
    ['secure-port: 1\n---\nbind-address: 0.0.0.0', /config\.yaml: there are several YAML documents/],
    ['config: other.yaml', /cannot name another one/],
    ['__proto__: 1', /no name of a flag/],
    ['- a', /no YAML object/],
    ['data-dir:', /config\.yaml: --data-dir needs a value/],
    ['anonymous_auth: ~', /config\.yaml: --anonymous-auth is true or false, not ""/],
    ['authorization-mode: []', /config\.yaml: --authorization-mode needs a value/],
    ['service-account-issuer: {}', /config\.yaml: --service-account-issuer needs a value/],
    ['secure-port: 1\nsecure-port: 2', /config\.yaml: yaml: the key "secure-port" is there twice/],
    ['runtime-config: {a: true, a: false}', /config\.yaml: yaml: the key "a" is there twice/],
    ['secure-port: 1\nsecure_port: 2', /config\.yaml: secure-port is there twice, with - and with _/],
    ['a: [', /config\.yaml: /],
  ];
  for (const [text, message] of mistakes) {
    test(`${JSON.stringify(text)} is a mistake`, () => assert.rejects(read(text), (cause) => cause instanceof UsageError && message.test(cause.message)));
  }

  test('a file that is not there', () => assert.rejects(withConfigFile(parse('--config=/nowhere/x'), TABLE), /--config: cannot read \/nowhere\/x/));
});

describe('--feature-gates', () => {
  test('several, in one flag or many; groups count where the feature itself is not named', () => {
    const { isOn, idle } = readFeatureGates(parse('--feature-gates=APIPriorityAndFairness=true,OpenAPIEnums=true', '--feature-gates=AllBeta=false'));
    assert.deepEqual([isOn.get('APIPriorityAndFairness'), isOn.get('APIListChunking'), isOn.get('DryRun')], [true, false, true]);
    assert.deepEqual(idle, ['OpenAPIEnums']);
  });

  test('those of nodes and controllers are known, and do nothing', () => {
    const { isOn, idle } = readFeatureGates(parse('--feature-gates=CSIMigrationAzureFile=true,JobTrackingWithFinalizers=true,EphemeralContainers=true,RuntimeClass=true'));
    assert.deepEqual([isOn.get('EphemeralContainers'), isOn.get('RuntimeClass')], [true, true]);
    assert.deepEqual(idle, ['CSIMigrationAzureFile', 'JobTrackingWithFinalizers']);
  });

  test('values are those that Go reads', () => {
    for (const value of ['0', 'f', 'F', 'false', 'FALSE', 'False']) assert.equal(readFeatureGates(parse(`--feature-gates=APIListChunking=${value}`)).isOn.get('APIListChunking'), false, value);
    assert.equal(readFeatureGates(parse('--feature-gates=OpenAPIV3=1')).isOn.get('OpenAPIV3'), true);
  });

  for (const [text, message] of [
    ['APIPriorityAndFairnes=true', /no feature "APIPriorityAndFairnes"; did you mean APIPriorityAndFairness\?/],
    ['DryRun=false', /DryRun is generally available and stays on/],
    ['OpenAPIV3', /not written Name=true or Name=false/],
    ['OpenAPIV3=maybe', /not written/],
    ['constructor=true', /no feature "constructor"/],
  ] as const) {
    test(`${text} is a mistake`, () => assert.throws(() => readFeatureGates(parse(`--feature-gates=${text}`)), message));
  }

  test('each feature has one row', () => assert.equal(new Set(FEATURES.map(({ name }) => name)).size, FEATURES.length));
});

describe('flags', () => {
  test('each has one row and one part of the help', () => {
    assert.equal(new Set(TABLE.map(({ name }) => name)).size, TABLE.length);
    for (const flag of TABLE) assert.ok(FLAG_GROUPS.includes(groupOf(flag)), flag.name);
  });

  test('defaults are values that the flag itself takes', () => {
    for (const flag of FLAGS) if ('default' in flag) assert.ok(parse(`--${flag.name}=${String(flag.default)}`).given.has(flag.name));
  });

  test('one that does nothing says so, only where it is given', () => {
    const features = readFeatureGates(parse());
    assert.deepEqual(idleLines(parse(), features), []);
    assert.match(idleLines(parse('--etcd-servers-overrides='), features).join(), /does nothing here/);
    assert.deepEqual(idleLines(parse('--logtostderr', '--secure-port=1'), features), ['orch: --logtostderr does nothing here: logs are JSON lines on standard error\n']);
  });
});
