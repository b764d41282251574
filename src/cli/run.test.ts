import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMANDS } from './commands.table.ts';
import { run } from './run.ts';

async function orch(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = '';
  let err = '';
  const code = await run(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { KUBECONFIG: '/nowhere/kubeconfig' },
    readInput: async () => Buffer.from(''),
    outClosed: new AbortController().signal,
    outFailure: async () => undefined,
    hasColour: { out: false, err: false },
  });
  return { code, out, err };
}

describe('orch', () => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    test(`${['orch', ...args].join(' ')} lists the commands`, async () => {
      const { code, out, err } = await orch(...args);
      assert.deepEqual([code, err], [0, '']);
      for (const name of COMMANDS.keys()) assert.match(out, new RegExp(`^  ${name} `, 'm'));
    });
  }

  for (const [name, { load }] of COMMANDS) {
    test(`orch ${name} --help has flags and examples`, async () => {
      const { code, out, err } = await orch(name, '--help');
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, new RegExp(`^Usage: orch ${name} `));
      if ((await load()).flags.length > 0) assert.match(out, /\n(?:Flags|Storage flags):\n {2}(?:-\w, )?--/);
      assert.match(out, new RegExp(`\nExamples:\n {2}.*orch ${name}`));
      assert.deepEqual(await orch('help', name), { code, out, err });
    });
  }

  test('help of serve says what the flags default to', async () => {
    const { out } = await orch('serve', '--help');
    assert.match(out, /--secure-port <number>\n.*\(default 6443\)/);
    assert.match(out, /--dialect <orch\|kubernetes>/);
  });

  const mistakes: readonly (readonly [string, RegExp])[] = [
    ['gte', /unknown command "gte"; did you mean get\?/],
    ['--store', /expected a command, not --store/],
    ['help nothing', /unknown command "nothing"/],
    ['constructor', /unknown command "constructor"/],
    ['serve --etcd-servers-overrides=http://a', /--etcd-servers-overrides is not offered here/],
    ['serve -v=4', /unknown flag -v/],
    ['serve --kubernetes-service-node-port=30000', /--kubernetes-service-node-port=30000 is not offered here/],
    ['serve --token-auth-fil=x', /unknown flag --token-auth-fil; did you mean --token-auth-file\?/],
    ['serve --dialect=k8s', /--dialect is one of orch, kubernetes, not "k8s"/],
    ['serve now', /unexpected word "now"/],
    ['get pods --nmespace=x', /unknown flag --nmespace; did you mean --namespace\?/],
    ['apply', /which file\?/],
    ['apply file.yaml', /unexpected word "file.yaml"/],
    ['create -f /nowhere/file.yaml', /cannot read \/nowhere\/file.yaml/],
  ];
  for (const [line, message] of mistakes) {
    test(`orch ${line} is wrong usage`, async () => {
      const { code, out, err } = await orch(...line.split(' '));
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, message);
      assert.match(err, /--help (?:says|lists)/);
      assert.doesNotMatch(err, /\n {4}at /);
    });
  }

  test('a kubeconfig that is not there is named', async () => {
    const { code, err } = await orch('get', 'namespaces');
    assert.equal(code, 1);
    assert.match(err, /^orch: kubeconfig \/nowhere\/kubeconfig cannot be read/);
  });
});
