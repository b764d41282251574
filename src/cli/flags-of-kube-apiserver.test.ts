// The table of flags against the flags of kube-apiserver 1.23.17, and every number in it at its bounds.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { chooseControllers } from '#controllers';
import { FLAGS, IDLE_FLAGS, type Flag, type IdleFlag } from '#server';
import { parseFlags } from './parse-flags.ts';
import { run } from './run.ts';
import type { Terminal } from './terminal.ts';

interface Recorded {
  readonly flag: string;
  readonly type: string;
  readonly default: string | null;
}

const recorded = JSON.parse(readFileSync(path.resolve('test/fixtures/kube-apiserver/flags.json'), 'utf8')) as readonly Recorded[];
const known: ReadonlyMap<string, Flag | IdleFlag> = new Map([...FLAGS, ...IDLE_FLAGS].map((flag) => [flag.name, flag]));

test('every flag of kube-apiserver is here, works or says why it does not', () => {
  // `--help` belongs to every command.
  assert.deepEqual(recorded.map(({ flag }) => flag.slice(2)).filter((name) => name !== 'help' && !known.has(name)), []);
});

/** Where another default is on purpose: [flag, why]. */
const OTHER_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['authorization-mode', 'nobody is to find out too late that everybody may do everything'],
  ['bind-address', 'a server that is tried out is for this machine alone'],
]);

test('flags that work have the types and defaults of kube-apiserver', () => {
  const TYPES: Readonly<Record<string, Flag['type']>> = { int: 'number', float32: 'number', bool: 'boolean', duration: 'duration' };
  for (const { flag, type, default: fallback } of recorded) {
    const row = known.get(flag.slice(2));
    if (row === undefined || 'idle' in row || row.name === 'version') continue;
    assert.equal(row.type, TYPES[type] ?? 'string', flag);
    if (OTHER_DEFAULTS.has(row.name) || fallback === null || row.default === undefined) continue;
    assert.equal(String(row.default), fallback.replaceAll('"', ''), flag);
  }
});

test('a flag that kube-apiserver takes several values of may be repeated here', () => {
  const SEVERAL: ReadonlySet<string> = new Set(['strings', 'stringArray', 'mapStringBool', 'mapStringString', 'stringToString', 'namedCertKey', 'cidrs', 'pattern=N,...']);
  const lists = recorded.filter(({ type }) => SEVERAL.has(type)).map(({ flag }) => flag.slice(2));
  assert.ok(lists.length > 15);
  assert.deepEqual(lists.filter((name) => known.get(name)?.isList !== true), []);
});

test('a list that kube-apiserver takes empty may be empty here, unless that would leave open who may do what', () => {
  const EMPTY: ReadonlySet<string> = new Set(['strings', 'mapStringBool', 'mapStringString', 'stringToString']);
  const lists = recorded.filter(({ type }) => EMPTY.has(type)).map(({ flag }) => flag.slice(2));
  assert.ok(lists.length > 15);
  assert.deepEqual(lists.filter((name) => known.get(name)?.mayBeEmpty !== true), ['authorization-mode']);
});

test('what does the work of a flag that does nothing is a flag that works, with a value it takes', () => {
  const named = IDLE_FLAGS.flatMap(({ idle }) => idle.match(/--[a-z][\w-]*(?:=\S+)?/g) ?? []);
  assert.ok(named.length > 3);
  for (const flag of named) {
    const name = flag.slice(2).replace(/=.*/, '');
    if (!flag.includes('=')) assert.ok(FLAGS.some((row) => row.name === name), flag);
    else if (name === 'controllers') chooseControllers(read(flag).text(name) ?? '');
    else read(flag);
  }
});

const numbers: readonly Flag[] = [...FLAGS].filter(({ type }) => type === 'number');
const read = (flag: string) => parseFlags([flag], FLAGS).flags;

test('every number of the table of flags ends where the table says: the bound passes, one more is refused', () => {
  assert.ok(numbers.length > 15);
  for (const { name, min = 0, max } of numbers) {
    const said = { message: new RegExp(`^--${name} is a whole number from ${min} ${max === undefined ? 'on' : `to ${max}`}, not`) };
    assert.equal(read(`--${name}=${min}`).number(name), min);
    assert.throws(() => read(`--${name}=${min - 1}`), said);
    assert.equal(read(`--${name}=${max ?? Number.MAX_SAFE_INTEGER}`).number(name), max ?? Number.MAX_SAFE_INTEGER);
    assert.throws(() => read(`--${name}=${BigInt(max ?? Number.MAX_SAFE_INTEGER) + 1n}`), said);
  }
});

test('no duration is below nothing', () => {
  for (const { name } of [...FLAGS].filter(({ type }) => type === 'duration')) {
    assert.equal(read(`--${name}=0s`).milliseconds(name), 0);
    assert.throws(() => read(`--${name}=-1s`), { message: new RegExp(`^--${name} is a duration such as`) });
  }
});

const folder = mkdtempSync(path.join(tmpdir(), 'orch-flags-'));
after(() => rmSync(folder, { recursive: true }));

test('what would be expected to do something and does not is refused, with what does it', async () => {
  for (const [flag, told] of [
    ['--etcd-servers-overrides=/events#http://a:1', /--etcd-servers-overrides is not offered here: all resources lie in one store/],
    ['--storage-backend=etcd2', /--storage-backend=etcd2 is not offered here: --store says/],
    ['--admission-control=AlwaysAdmit', /--admission-control is not offered here: --enable-admission-plugins/],
    ['--audit-log-version=audit.orch.io/v1beta1', /--audit-log-version: events are written as audit\.orch\.io\/v1, not as "audit\.orch\.io\/v1beta1"/],
    ['--show-hidden-metrics-for-version=1.21', /--show-hidden-metrics-for-version is the release before this one, 1\.22, not "1\.21"/],
    ['--allow-metric-labels=broken', /--allow-metric-labels: "broken" is not written metric,label='value,value'/],
    ['--cors-allowed-origins=(', /--cors-allowed-origins: "\(" is no regular expression/],
    ['--strict-transport-security-directives=max-age=1,includeSubdomains', /--strict-transport-security-directives: "includeSubdomains" is not max-age=<seconds>, includeSubDomains or preload/],
    ['--strict-transport-security-directives=max-age', /"max-age" is not max-age=<seconds>/],
    ['--request-timeout=0s', /--request-timeout is a duration above 0s/],
    ['--service-cluster-ip-range=x', /--service-cluster-ip-range: a service range is a block of addresses such as 10\.0\.0\.0\/16, not x/],
    ['--service-cluster-ip-range=10.0.0.0/16,10.1.0.0/16', /--service-cluster-ip-range: services have one block/],
    ['--runtime-config=foo', /--runtime-config: "foo": there is no such group and version/],
    ['--runtime-config=api/all=false', /--runtime-config: "api\/all=false": no server can do without Namespace in v1/],
    ['--runtime-config=api/all=maybe', /--runtime-config: "api\/all=maybe": the value is true or false/],
    ['--store=foo', /--store: no storage engine for "foo"/],
    ['--store=lmdb://', /--store: the store needs a folder/],
    ['--tls-min-version=VersionTLS14', /--tls-min-version is one of .*; did you mean VersionTLS13\?/],
    ['--audit-log-pth=x', /unknown flag --audit-log-pth; did you mean --audit-log-path\?/],
  ] as const) {
    const said: string[] = [];
    const out = { out: () => {}, outClosed: new AbortController().signal, outFailure: async () => undefined };
    const terminal = { ...out, err: (text: string) => said.push(text), hasColour: { out: false, err: false } } as unknown as Terminal;
    assert.equal(await run(['serve', '--store=memory://', '--secure-port=0', `--data-dir=${folder}`, flag], terminal), 2, flag);
    assert.match(said.join(''), told);
  }
});
