import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { linesOf, orch, start, type Finished } from './orch-command.ts';

const APP = `# an application
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, labels: { app: web } }
data: { colour: "0xff" }
--- # and its program
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: web:1 }] }
`;

const linesIn = (text: string): readonly string[] => text.trimEnd().split('\n');

const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

for (const dialect of ['orch', 'kubernetes'] as const) {
  describe(`the bundled client, ${dialect} names`, () => {
    const cwd = mkdtempSync(join(tmpdir(), 'orch-cli-'));
    let server: ServerProcess;
    before(async () => {
      server = await startServerProcess({ flags: ['--store=memory://', '--controllers=none', `--dialect=${dialect}`] });
      writeFileSync(join(cwd, 'app.yaml'), APP);
    });
    after(async () => {
      await server.stop();
      rmSync(cwd, { recursive: true });
    });

    const run = (line: string, input?: string): Promise<Finished> =>
      orch(line.split(' '), { cwd, env: { KUBECONFIG: server.kubeconfig }, ...(input === undefined ? {} : { input }) });
    async function out(line: string, input?: string): Promise<string> {
      const finished = await run(line, input);
      assert.deepEqual([finished.code, finished.err], [0, ''], `orch ${line}: ${finished.err}`);
      return finished.out;
    }

    test('R2.1-12 R2.5-05 R4.1-05 R4.1-06 R4.1-07 R4.9-01 apply, look, delete', async () => {
      assert.equal(await out('apply -f app.yaml --dry-run'), 'configmap/settings created (dry run)\ndeployment.apps/web created (dry run)\n');
      assert.equal(await out('apply -f app.yaml'), 'configmap/settings created\ndeployment.apps/web created\n');
      assert.equal(await out('apply -f -', APP), 'configmap/settings applied\ndeployment.apps/web applied\n');
      const [table, wide, everywhere, name, yaml, json, selected] = await Promise.all([
        out('get configmap'),
        out('get deploy web -owide'),
        out('get cm,deployments.apps -A'),
        out('get cm,deploy -o name'),
        out('get cm/settings -o yaml'),
        out('get cm -o json'),
        out('get configmaps -l app=web -o name'),
      ]);
      assert.match(table, /^NAME +DATA +AGE\nsettings +1 +\d+s\n$/);
      assert.match(wide, /^NAME .* CONTAINERS +IMAGES +SELECTOR\nweb .* main +web:1 +app=web\n$/);
      assert.match(everywhere, /^NAMESPACE +NAME +DATA +AGE\ndefault +settings .*\n.* extension-apiserver-authentication .*\n\nNAMESPACE +NAME +READY .*\ndefault +web /);
      assert.equal(name, 'configmap/settings\ndeployment.apps/web\n');
      assert.match(yaml, /^apiVersion: v1\ndata:\n {2}colour: "?0xff"?\nkind: ConfigMap\nmetadata:\n/);
      assert.doesNotMatch(yaml, /managedFields/);
      const list = JSON.parse(json) as { kind: string; items: readonly { kind: string; data: unknown }[] };
      assert.deepEqual([list.kind, list.items.map(({ kind, data }) => [kind, data])], ['List', [['ConfigMap', { colour: '0xff' }]]]);
      assert.equal(selected, 'configmap/settings\n');
      assert.match(await out('get cm settings -o json --show-managed-fields'), /"manager": "orch",\n.*"operation": "Apply"/);
      assert.equal(await out('delete -f app.yaml'), 'configmap/settings deleted\ndeployment.apps/web deleted\n');
      assert.deepEqual(await run('get cm'), { code: 0, out: '', err: 'There are no configmaps in namespace default.\n' });
    });

    test('what another manager owns is a conflict until it is taken over', async () => {
      const config = (value: string): string => JSON.stringify({ ...MAP, metadata: { name: 'owned' }, data: { a: value } });
      await out('apply -f - --field-manager=other', config('1'));
      const { code, err } = await run('apply -f -', config('2'));
      assert.equal(code, 1);
      assert.match(err, /^orch: standard input: the server answered 409 Conflict: [^]*"other"[^]*--force-conflicts/);
      assert.equal(await out('apply -f - --force-conflicts', config('2')), 'configmap/owned applied\n');
      assert.equal(await out('delete cm owned'), 'configmap/owned deleted\n');
    });

    test('create makes a list of objects once, and goes on after a refusal', async () => {
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: ['c1', 'c2'].map((name) => ({ ...MAP, metadata: { name } })) });
      await out('create -f -', JSON.stringify({ ...MAP, metadata: { name: 'c1' } }));
      const { code, out: made, err } = await run('create -f -', list);
      assert.deepEqual([code, made], [1, 'configmap/c2 created\n']);
      assert.match(err, /^orch: standard input, items\[0\]: the server answered 409 AlreadyExists: configmaps "c1" already exists\n {2}orch apply/);
      assert.match(await out('create -f -', JSON.stringify({ ...MAP, metadata: { generateName: 'made-' } })), /^configmap\/made-\w+ created\n$/);
      assert.match(await out('delete configmaps --all'), /^configmap\/c1 deleted\nconfigmap\/c2 deleted\nconfigmap\/made-\w+ deleted\n$/);
    });

    test('what a file says that no server can have is told of that object', async () => {
      const files = [{ ...MAP, metadata: { name: 'a/b' } }, { ...MAP, metadata: { generateName: 'x' } }, { ...MAP, apiVersion: 'nowhere/v1', metadata: { name: 'c' } }];
      const { code, out: deleted, err } = await run('delete -f -', files.map((file) => JSON.stringify(file)).join('\n---\n'));
      assert.deepEqual([code, deleted], [1, '']);
      assert.match(err, /document 1: "a\/b" cannot be a name\n.*document 2: "" cannot be a name\n.*document 3: the server has no ConfigMap in nowhere\/v1/);
    });

    test('namespaces: of the flag, of the file, and both', async () => {
      const at = (namespace: string): string => JSON.stringify({ ...MAP, metadata: { name: 'placed', namespace } });
      assert.equal(await out('apply -f - -n default', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })), 'namespace/team created\n');
      assert.equal(await out('apply -f -', at('team')), 'configmap/placed created\n');
      assert.match(await out('get cm -n team'), /\nplaced /);
      assert.match((await run('apply -f - -n default', at('team'))).err, /the file says namespace team, the command line default/);
      assert.equal(await out('delete cm placed -nteam'), 'configmap/placed deleted\n');
    });

    test('R4.5-01 watch shows what is there and every change, and ends with its reader', async () => {
      await out('apply -f -', JSON.stringify({ ...MAP, metadata: { name: 'w1' } }));
      const child = start(['get', 'cm', '-w'], { cwd, env: { KUBECONFIG: server.kubeconfig } });
      const line = linesOf(child);
      assert.match(await line(), /^NAME +DATA +AGE$/);
      assert.match(await line(), /^w1 +0 /);
      await out('apply -f -', JSON.stringify({ ...MAP, metadata: { name: 'w1' }, data: { a: '1' } }));
      assert.match(await line(), /^w1 +1 /);
      child.stdout.destroy();
      const exit = once(child, 'exit');
      await out('delete cm w1');
      assert.deepEqual(await exit, [0, null]);
    });

    test('a watch shows whole objects, those that are there already too', async () => {
      await out('apply -f -', JSON.stringify({ ...MAP, metadata: { name: 'whole' } }));
      const child = start(['get', 'cm', 'whole', '-w', '-o', 'yaml'], { cwd, env: { KUBECONFIG: server.kubeconfig } });
      const line = linesOf(child);
      const document = [await line(), await line(), await line()];
      child.stdout.destroy();
      const exit = once(child, 'exit');
      await out('delete cm whole');
      await exit;
      assert.deepEqual(document, ['---', 'apiVersion: v1', 'kind: ConfigMap']);
    });

    test('an object is found whose definition the same file adds, beside others of its group', async () => {
      const group = `stages.example-${dialect}`;
      const definition = (name: string): object => ({
        apiVersion: `apiextensions.${dialect === 'orch' ? 'orch.io' : 'k8s.io'}/v1`,
        kind: 'CustomResourceDefinition',
        metadata: { name: `${name}s.${group}` },
        spec: {
          group,
          scope: 'Cluster',
          names: { plural: `${name}s`, kind: name },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      });
      const files = ['play', 'song'].flatMap((name) => [definition(name), { apiVersion: `${group}/v1`, kind: name, metadata: { name: 'first' } }]);
      assert.deepEqual(linesIn(await out('apply -f -', files.map((file) => JSON.stringify(file)).join('\n---\n'))).filter((_, at) => at % 2 === 1), [`play.${group}/first created`, `song.${group}/first created`]);
    });

    test('R4.1-01 R4.1-02 api-resources and version say what the server is', async () => {
      const suffix = dialect === 'orch' ? 'orch.io' : 'k8s.io';
      assert.match(await out('api-resources'), new RegExp(`^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\n[^]*\nconfigmaps +cm +v1 +true +ConfigMap\n[^]*\npriorityclasses +pc +scheduling\\.${suffix}/v1 +false`));
      assert.match(await out('api-resources -o name'), new RegExp(`\nleases\\.coordination\\.${suffix}\n`));
      assert.match(await out('get leases.coordination,pc'), /system-node-critical/);
      assert.match(await out('version'), /^orch \d.*\nserver v1\.23\.\d+ at https:\/\/127\.0\.0\.1:\d+\n$/);
    });

    // Names are spelled in none of these: one dialect is enough.
    const failures: readonly (readonly [line: string, code: number, message: RegExp])[] = [
      ['get cm nothing', 1, /^orch: the server answered 404 NotFound: configmaps "nothing" not found\n$/],
      ['get cm nothing -w', 1, /^orch: the server answered 404 NotFound: configmaps "nothing" not found\n$/],
      ['get congifmaps', 2, /no resource "congifmaps"; did you mean configmaps\? orch api-resources/],
      ['delete cm', 2, /which configmaps\? Give names, -l <labels>, or --all/],
      ['get cm -l =', 1, /the server answered 400 BadRequest/],
      ['get cm/', 2, /"cm\/" is not <resource>\/<name>\n/],
      ['get cm/a b', 2, /"b" is not <resource>\/<name>: both forms, with and without \/, cannot be mixed\n/],
      ['get ,', 2, /"," names no resource/],
      ['delete ', 2, /"" names no resource/],
      ['get cm a -l app=web', 2, /give names, or -l or --field-selector, not both/],
      ['get cm/a --field-selector metadata.name=b', 2, /give names, or -l or --field-selector, not both/],
      ['get cm ..', 2, /".." cannot be a name/],
      ['get cm -n a/b', 2, /"a\/b" cannot be a name/],
    ];
    for (const [line, code, message] of dialect === 'orch' ? failures : []) {
      test(`orch ${line} fails with ${code}`, async () => {
        const failed = await run(line);
        assert.deepEqual([failed.code, failed.out], [code, '']);
        assert.match(failed.err, message);
      });
    }

    test('get shows what is there beside what is not, or may not be seen', async () => {
      await out('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' } }));
      const told = ['one', 'two'].map((name) => `orch: the server answered 404 NotFound: configmaps "${name}" not found\n`).join('');
      const shown: readonly (readonly [form: string, what: RegExp])[] = [
        ['table', /^NAME +DATA +AGE\nthere +0 +\d+s\n$/],
        ['name', /^configmap\/there\n$/],
        ['yaml', /^apiVersion: v1\nitems:\n- apiVersion: v1\n[^]*name: there\n/],
      ];
      for (const [form, what] of shown) {
        const some = await run(`get cm one there two -o ${form}`);
        assert.deepEqual([some.code, some.err], [1, told], form);
        assert.match(some.out, what);
        assert.deepEqual(await run(`get cm one two -o ${form}`), { code: 1, out: '', err: told }, form);
      }
      const path = join(cwd, 'bob');
      writeFileSync(path, readFileSync(server.kubeconfig, 'utf8').replace(/"token": "[^"]*"/, '"token": "bobtoken"'));
      const hidden = await run(`get cm,secrets --kubeconfig ${path}`);
      assert.deepEqual([hidden.code, hidden.out], [1, '']);
      assert.match(hidden.err, /^orch: the server answered 403 [^]*list resource "configmaps"[^]*\norch: the server answered 403 [^]*list resource "secrets"/);
    });

    test('absence is fine where the caller says so', async () => {
      assert.deepEqual(await run('get cm nothing --ignore-not-found'), { code: 0, out: '', err: '' });
      assert.equal(await out('delete cm nothing --ignore-not-found'), 'configmap/nothing was not there\n');
    });

    test('wrong credentials are told apart, and never shown', async () => {
      const config = readFileSync(server.kubeconfig, 'utf8');
      const asUser = (token: string): Promise<Finished> => {
        const path = join(cwd, token);
        writeFileSync(path, config.replace(/"token": "[^"]*"/, `"token": "${token}"`));
        return run(`get secrets --kubeconfig ${path}`);
      };
      const [unknown, weak] = await Promise.all([asUser('nobodystoken'), asUser('bobtoken')]);
      assert.equal(unknown.code, 1);
      assert.match(unknown.err, /401 Unauthorized[^]*does not know these credentials/);
      assert.equal(weak.code, 1);
      assert.match(weak.err, /403 Forbidden: .*User "bob"[^]*may not do that/);
      assert.doesNotMatch(unknown.err + weak.err, /nobodystoken|bobtoken/);
    });
  });
}

test('without a server the client says how to start one', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'orch-cli-'));
  try {
    const nowhere = await orch(['get', 'ns'], { cwd });
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.err, /^orch: which server\? [^]*\n {2}orch serve starts a server here/);
    const cluster = { server: 'http://127.0.0.1:1' };
    const config = { 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'x' } }], clusters: [{ name: 'x', cluster }] };
    writeFileSync(join(cwd, 'config'), JSON.stringify(config));
    const refused = await orch(['get', 'ns', '--kubeconfig', 'config'], { cwd });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^orch: cannot reach http:\/\/127\.0\.0\.1:1: .*\n {2}no server answers there\. Start one with: orch serve\n$/);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
