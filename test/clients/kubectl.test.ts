// Real kubectl of three releases against the kubernetes dialect, through every kind and the everyday commands.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { clientKinds, type ClientKind } from './kinds.table.ts';
import { kubectl, type Kubectl } from './kubectl-command.ts';

const RELEASES = ['1.23', '1.28', '1.35'];

let server: ServerProcess;
before(async () => {
  server = await startServerProcess({ flags: ['--dialect', 'kubernetes', '--store', 'memory://', '--controllers', 'none'] });
});
after(async () => {
  assert.equal(await server.stop(), 0, 'SIGTERM ends the server with exit code 0');
});

for (const release of RELEASES) {
  describe(`kubectl ${release}`, () => {
    const space = `kubectl-${release.replace('.', '-')}`;
    let client: Kubectl;
    before(async () => {
      client = kubectl(release, server.kubeconfig);
      await client.run(['create', 'namespace', space]);
    });
    after(() => client.close());

    test('version, api-versions and api-resources show what is served', async () => {
      assert.match(await client.run(['version', '-o', 'json']), /"gitVersion": "v1\.23/);
      const versions = (await client.run(['api-versions'])).split('\n');
      const table = await client.run(['api-resources', '-o', 'wide']);
      for (const { resource, apiVersion, kind, isNamespaced, shortName } of clientKinds) {
        assert.ok(versions.includes(apiVersion), `${apiVersion} in ${versions.join(' ')}`);
        const row = table.split('\n').find((line) => line.startsWith(`${resource} `)) ?? '';
        for (const word of [apiVersion, kind, String(isNamespaced), shortName ?? '', 'delete', 'watch']) assert.ok(row.includes(word), `${word} in: ${row}`);
      }
    });

    for (const kind of clientKinds) test(`${kind.kind}: create to delete`, () => wholeLife(client, kind, space));

    test('get -w prints each change', async () => {
      const scope = ['-n', space];
      await client.run(['create', ...scope, '-f', '-'], object('ConfigMap', 'v1', 'watched', { data: { n: '0' } }));
      const lines = client.follow(['get', ...scope, 'configmaps', '-w', '-o', 'jsonpath={.metadata.name} {.data.n}{"\\n"}', '--field-selector', 'metadata.name=watched']);
      try {
        assert.equal(await lines.nextLine(), 'watched 0');
        for (const n of ['1', '2', '3']) {
          await client.run(['patch', ...scope, 'configmap', 'watched', '--type=merge', '-p', JSON.stringify({ data: { n } })]);
          assert.equal(await lines.nextLine(), `watched ${n}`);
        }
      } finally {
        await lines.stop();
      }
    });

    test('wait returns when a value appears', async () => {
      const scope = ['-n', space];
      // kubectl before 1.26 gives up where the path is not there yet.
      await client.run(['create', ...scope, 'configmap', 'awaited', '--from-literal=done=no']);
      const waiting = client.attempt(['wait', ...scope, 'configmap/awaited', '--for=jsonpath={.data.done}=yes', '--timeout=20s']);
      await client.run(['patch', ...scope, 'configmap', 'awaited', '--type=merge', '-p', '{"data":{"done":"yes"}}']);
      const { code, out, err } = await waiting;
      assert.equal(code, 0, err);
      assert.match(out, /condition met/);
    });

    test('edit opens the object and stores the change', async () => {
      const scope = ['-n', space];
      await client.run(['create', ...scope, 'configmap', 'edited', '--from-literal=text=before']);
      await client.run(['edit', ...scope, 'configmap', 'edited']);
      assert.equal(await client.run(['get', ...scope, 'configmap', 'edited', '-o', 'jsonpath={.data.text}']), 'after');
    });

    test('errors read as users know them', async () => {
      const missing = await client.attempt(['get', '-n', space, 'configmap', 'nobody']);
      assert.deepEqual([missing.code, missing.err.trim()], [1, 'Error from server (NotFound): configmaps "nobody" not found']);
      await client.run(['create', '-n', space, 'configmap', 'twice']);
      const twice = await client.attempt(['create', '-n', space, 'configmap', 'twice']);
      assert.deepEqual([twice.code, /AlreadyExists|already exists/.test(twice.err)], [1, true], twice.err);
      const unknown = await client.attempt(['get', 'nothings']);
      assert.match(unknown.err, /the server doesn't have a resource type "nothings"/);
    });

    test('a namespace terminates and goes when it is finalized', async () => {
      const name = `${space}-going`;
      await client.run(['create', 'namespace', name]);
      await client.run(['delete', 'namespace', name, '--wait=false']);
      assert.equal(await client.run(['get', 'namespace', name, '-o', 'jsonpath={.status.phase}']), 'Terminating');
      const live = JSON.parse(await client.run(['get', 'namespace', name, '-o', 'json'])) as { spec: unknown };
      await client.run(['replace', '--raw', `/api/v1/namespaces/${name}/finalize`, '-f', '-'], JSON.stringify({ ...live, spec: {} }));
      assert.match((await client.attempt(['get', 'namespace', name])).err, /NotFound/);
    });
  });
}

/** Everything one does with one object; commands run in the order a user would type them. */
async function wholeLife(client: Kubectl, kind: ClientKind, space: string): Promise<void> {
  const { resource, change } = kind;
  const name = `${space}-life`;
  const scope = kind.isNamespaced ? ['-n', space] : [];
  const see = (template: string): Promise<string> => client.run(['get', ...scope, resource, name, '-o', `jsonpath=${template}`]);
  const manifest = object(kind.kind, kind.apiVersion, name, kind.body);

  assert.match(await client.run(['create', ...scope, '-f', '-'], manifest), /created/);
  assert.equal(await see(change.path), change.before);
  assert.deepEqual(titles(await client.run(['get', ...scope, resource])), kind.columns);
  assert.deepEqual(titles(await client.run(['get', ...scope, resource, '-o', 'wide'])), [...kind.columns, ...(kind.wide ?? [])]);
  assert.match(await client.run(['get', ...scope, kind.shortName ?? resource, name, '-o', 'yaml']), new RegExp(`^kind: ${kind.kind}$`, 'm'));
  assert.match(await client.run(['get', ...scope, resource, '--no-headers', '-o', 'name']), new RegExp(`/${name}$`, 'm'));
  assert.match(await client.run(['describe', ...scope, resource, name]), kind.describe);
  assert.match(await client.run(['explain', kind.explain.field]), kind.explain.prints);

  await client.run(['patch', ...scope, resource, name, '--type=merge', '-p', JSON.stringify(change.patch)]);
  assert.equal(await see(change.path), change.after);
  await client.run(['patch', ...scope, resource, name, '--type=json', '-p', '[{"op":"add","path":"/metadata/annotations","value":{"by":"json"}}]']);
  assert.equal(await see('{.metadata.annotations.by}'), 'json');

  await client.run(['label', ...scope, resource, name, 'tier=front']);
  assert.match(await client.run(['get', ...scope, resource, '-l', 'tier=front', '-o', 'name']), new RegExp(`/${name}$`, 'm'));
  assert.equal((await client.run(['get', ...scope, resource, '-l', 'tier=back', '-o', 'name'])).trim(), '');
  await client.run(['label', ...scope, resource, name, 'tier-']);
  await client.run(['annotate', ...scope, resource, name, 'owner=me']);
  assert.equal(await see('{.metadata.labels.tier}/{.metadata.annotations.owner}'), '/me');

  const applied = `${name}-applied`;
  const first = object(kind.kind, kind.apiVersion, applied, kind.body);
  assert.match(await client.run(['apply', ...scope, '-f', '-'], first), /created/);
  assert.match(await client.run(['apply', ...scope, '-f', '-'], first), /unchanged/);
  const second = object(kind.kind, kind.apiVersion, applied, kind.body, { stage: 'two' });
  assert.match(await client.run(['apply', ...scope, '-f', '-'], second), /configured/);
  assert.equal(await client.run(['get', ...scope, resource, applied, '-o', 'jsonpath={.metadata.labels.stage}']), 'two');

  if (kind.kind === 'Namespace') return;
  assert.match(await client.run(['delete', ...scope, resource, name, applied]), /deleted/);
  assert.match((await client.attempt(['get', ...scope, resource, name])).err, /NotFound/);
}

function object(kind: string, apiVersion: string, name: string, body: object, labels?: Readonly<Record<string, string>>): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name, ...(labels === undefined ? {} : { labels }) }, ...body });
}

/** Column titles of a table: they are at least two blanks apart. */
function titles(table: string): string[] {
  return (table.split('\n')[0] ?? '').trim().split(/\s{2,}/);
}
