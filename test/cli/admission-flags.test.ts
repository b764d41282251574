import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { linesOf, orch, start } from './orch-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'orch-admission-flags-'));
after(() => rmSync(cwd, { recursive: true }));

const SERVE = ['serve', '--secure-port=0', '--store=memory://'];
const configuration = 'apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: EventRateLimit\n  path: limits.yaml\n';
const limits = 'apiVersion: eventratelimit.admission.orch.io/v1alpha1\nkind: Configuration\nlimits:\n- {type: Server, qps: 1, burst: 1}\n';

describe('orch serve, admission', () => {
  test('R4.11-03 R4.11-04 R4.11-05 R2.8-03 plugins are switched on and off by flags and configured by a file', async (t) => {
    writeFileSync(join(cwd, 'admission.yaml'), configuration);
    writeFileSync(join(cwd, 'limits.yaml'), limits);
    const server = start([...SERVE, '--enable-admission-plugins=DenyServiceExternalIPs,EventRateLimit', '--disable-admission-plugins=NamespaceLifecycle', '--admission-control-config-file=admission.yaml'], { cwd });
    t.after(() => server.kill('SIGKILL'));
    const exit = once(server, 'exit');
    assert.match(await linesOf(server)(), /^orch serves https:/);
    const apply = (name: string, text: string): ReturnType<typeof orch> => {
      writeFileSync(join(cwd, name), text);
      return orch(['apply', '-f', name, '--kubeconfig', 'orch-data/kubeconfig'], { cwd });
    };
    const map = await apply('map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n');
    assert.equal(map.code, 0, map.err);
    const service = await apply('service.yaml', 'apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: default}\nspec: {ports: [{port: 80}], externalIPs: [10.1.2.3]}\n');
    assert.match(service.err, /external IPs/);
    assert.notEqual(service.code, 0);
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  const mistakes: readonly (readonly [name: string, flags: readonly string[], message: RegExp])[] = [
    ['R4.11-06 a plugin that is not known', ['--enable-admission-plugins=Nobody'], /--enable-admission-plugins.*"Nobody" is not known; there are AlwaysAdmit, /],
    ['R4.11-06 a plugin that is switched on and off', ['--enable-admission-plugins=AlwaysAdmit', '--disable-admission-plugins=AlwaysAdmit'], /AlwaysAdmit is switched on and off at once/],
    ['a file that is missing', ['--admission-control-config-file=nowhere.yaml'], /--admission-control-config-file: admission configuration nowhere\.yaml cannot be read/],
    ['a plugin without the configuration it needs', ['--enable-admission-plugins=EventRateLimit'], /configuration of the admission plugin EventRateLimit: must be a Configuration/],
  ];
  for (const [name, flags, message] of mistakes) {
    test(`${name} ends the start with words about it`, async () => {
      const { code, err } = await orch([...SERVE, ...flags], { cwd });
      assert.notEqual(code, 0);
      assert.match(err, message);
    });
  }
});
