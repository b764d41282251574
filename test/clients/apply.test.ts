// What people do with apply, patch, scale and rollout: real kubectl, and helm with its three-way merge.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { helm, kubectl, type Kubectl } from './kubectl-command.ts';

const RELEASES = ['1.23', '1.35'];

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: Readonly<Record<string, object>>;
}

let server: ServerProcess;
before(async () => {
  server = await startServerProcess({ flags: ['--dialect', 'kubernetes', '--store', 'memory://', '--controllers', 'none'] });
});
after(async () => {
  assert.equal(await server.stop(), 0);
});

const configMap = (name: string, data: object): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const template = (image: string): object => ({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } });

const deployment = (image: string): string =>
  JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template: template(image) } });

for (const release of RELEASES) {
  describe(`kubectl ${release}`, () => {
    const space = `apply-${release.replace('.', '-')}`;
    let client: Kubectl;
    const run = (args: readonly string[], input?: string): Promise<string> => client.run(['-n', space, ...args], input);
    const attempt = (args: readonly string[], input?: string): ReturnType<Kubectl['attempt']> => client.attempt(['-n', space, ...args], input);
    const see = (what: string, template: string): Promise<string> => run(['get', what, '-o', `jsonpath=${template}`]);
    const owners = async (what: string): Promise<readonly Entry[]> => JSON.parse(await run(['get', what, '-o', 'json', '--show-managed-fields'])).metadata.managedFields;

    before(async () => {
      client = kubectl(release, server.kubeconfig);
      await client.run(['create', 'namespace', space]);
    });
    after(() => client.close());

    test('R4.9-07 R4.9-45 apply --server-side owns what it sends, conflicts with others, and takes by force', async () => {
      const apply = ['apply', '--server-side', '-f', '-'];
      assert.match(await run(apply, configMap('ssa', { a: '1', b: '1' })), /configmap\/ssa serverside-applied/);
      assert.deepEqual((await owners('configmap/ssa')).map(({ manager, operation }) => [manager, operation]), [['kubectl', 'Apply']]);
      const refused = await attempt([...apply, '--field-manager', 'ann'], configMap('ssa', { a: '2' }));
      assert.equal(refused.code, 1);
      assert.match(refused.err, /conflict with "kubectl": \.data\.a/);
      await run([...apply, '--field-manager', 'ann', '--force-conflicts'], configMap('ssa', { a: '2' }));
      assert.equal(await see('configmap/ssa', '{.data.a}{.data.b}'), '21');
      await run(apply, configMap('ssa', {}));
      assert.equal(await see('configmap/ssa', '{.data.a}{.data.b}'), '2');
    });

    test('diff --server-side shows what an apply would change, and changes nothing', async () => {
      await run(['apply', '--server-side', '-f', '-'], configMap('diffed', { a: '1' }));
      const same = await attempt(['diff', '--server-side', '-f', '-'], configMap('diffed', { a: '1' }));
      assert.deepEqual([same.code, same.out], [0, ''], same.err);
      const differs = await attempt(['diff', '--server-side', '-f', '-'], configMap('diffed', { a: '2' }));
      assert.equal(differs.code, 1, differs.err);
      assert.match(differs.out, /^-  a: "1"$/m);
      assert.match(differs.out, /^\+  a: "2"$/m);
      assert.equal(await see('configmap/diffed', '{.data.a}'), '1');
    });

    test('client-side apply remembers what it applied, and server-side apply takes over from it', async () => {
      await run(['apply', '-f', '-'], configMap('csa', { a: '1', b: '1' }));
      assert.match(await run(['apply', 'view-last-applied', 'configmap/csa']), /a: "1"/);
      await run(['apply', '-f', '-'], configMap('csa', { a: '2' }));
      assert.equal(await see('configmap/csa', '{.data}'), '{"a":"2"}');
      await run(['apply', '--server-side', '-f', '-'], configMap('csa', { a: '3' }));
      assert.equal(await see('configmap/csa', '{.data}'), '{"a":"3"}');
      assert.ok((await owners('configmap/csa')).some(({ manager, operation }) => manager === 'kubectl' && operation === 'Apply'));
    });

    test('patch in its three forms', async () => {
      await run(['create', '-f', '-'], deployment('web:1'));
      const patch = (type: string, body: object): Promise<string> => run(['patch', 'deployment', 'web', `--type=${type}`, '-p', JSON.stringify(body)]);
      await patch('strategic', { spec: { template: { spec: { containers: [{ name: 'log', image: 'log:1' }] } } } });
      assert.equal(await see('deployment/web', '{.spec.template.spec.containers[*].name}'), 'log web');
      await patch('json', [{ op: 'remove', path: '/spec/template/spec/containers/0' }]);
      assert.equal(await see('deployment/web', '{.spec.template.spec.containers[*].name}'), 'web');
      await patch('merge', { metadata: { labels: { tier: 'front' } } });
      assert.equal(await see('deployment/web', '{.metadata.labels.tier}'), 'front');
      assert.match(await patch('merge', { metadata: { labels: { tier: 'front' } } }), /no change/);
      await run(['delete', 'deployment', 'web']);
    });

    test('scale, also only from the number one expects', async () => {
      await run(['create', '-f', '-'], deployment('web:1'));
      await run(['scale', 'deployment/web', '--replicas=3']);
      assert.equal(await see('deployment/web', '{.spec.replicas}'), '3');
      const unexpected = await attempt(['scale', 'deployment/web', '--current-replicas=1', '--replicas=5']);
      assert.deepEqual([unexpected.code, /Expected replicas to be 1, was 3/.test(unexpected.err)], [1, true], unexpected.err);
      await run(['scale', 'deployment/web', '--current-replicas=3', '--replicas=0']);
      assert.equal(await see('deployment/web', '{.spec.replicas}'), '0');
      await run(['delete', 'deployment', 'web']);
    });

    test('rollout history and undo go back to the template of an earlier replica set', async () => {
      await run(['create', '-f', '-'], deployment('web:2'));
      await run(['annotate', 'deployment', 'web', 'deployment.kubernetes.io/revision=2']);
      const uid = await see('deployment/web', '{.metadata.uid}');
      for (const revision of ['1', '2']) await run(['create', '-f', '-'], replicaSet(revision, uid));
      assert.match(await run(['rollout', 'history', 'deployment/web']), /^1 .*\n2 /m);
      assert.match(await run(['rollout', 'undo', 'deployment/web']), /rolled back/);
      assert.equal(await see('deployment/web', '{.spec.template.spec.containers[0].image}'), 'web:1');
      await run(['delete', 'deployment', 'web']);
    });

    test('helm upgrade merges three ways: its own changes arrive, those of others stay', async () => {
      const charts = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-chart-'));
      const charted = helm(release, server.kubeconfig);
      try {
        writeChart(charts, { a: '1', b: '1' });
        await charted.run(['install', 'demo', charts, '-n', space]);
        assert.equal(await see('configmap/demo', '{.data}'), '{"a":"1","b":"1"}');
        await run(['patch', 'configmap', 'demo', '--type=merge', '-p', '{"data":{"mine":"kept"},"metadata":{"labels":{"by":"hand"}}}']);
        writeChart(charts, { a: '2' });
        await charted.run(['upgrade', 'demo', charts, '-n', space, ...(await clientSide(charted))]);
        assert.deepEqual(JSON.parse(await see('configmap/demo', '{.data}')), { a: '2', mine: 'kept' });
        assert.equal(await see('configmap/demo', '{.metadata.labels.by}'), 'hand');
        await charted.run(['rollback', 'demo', '1', '-n', space, ...(await clientSide(charted))]);
        assert.deepEqual(JSON.parse(await see('configmap/demo', '{.data}')), { a: '1', b: '1', mine: 'kept' });
        await charted.run(['uninstall', 'demo', '-n', space]);
        assert.match((await attempt(['get', 'configmap', 'demo'])).err, /NotFound/);
      } finally {
        charted.close();
        fs.rmSync(charts, { recursive: true, force: true });
      }
    });
  });
}

/** What the controller of deployments would have left: one replica set for each template there was. */
function replicaSet(revision: string, uid: string): string {
  const labels = { 'app': 'web', 'pod-template-hash': revision };
  const { spec } = template(`web:${revision}`) as { spec: object };
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${revision}`,
      labels,
      annotations: { 'deployment.kubernetes.io/revision': revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }],
    },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

/** helm 4 applies on the server unless it is told otherwise. */
async function clientSide(charted: Kubectl): Promise<readonly string[]> {
  return (await charted.run(['version', '--short'])).startsWith('v4') ? ['--server-side=false'] : [];
}

function writeChart(folder: string, data: object): void {
  fs.mkdirSync(path.join(folder, 'templates'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: demo\nversion: 0.1.0\n');
  fs.writeFileSync(path.join(folder, 'templates/config.yaml'), configMap('demo', data));
}
