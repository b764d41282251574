import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { linesOf, orch, start } from './orch-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'orch-runtime-config-'));
after(() => rmSync(cwd, { recursive: true }));

test('R9-11 what the file says of versions counts from the next start on, and not before', async () => {
  const config = join(cwd, 'config.yaml');
  const isServed = async (): Promise<boolean> => (await orch(['get', 'jobs', '--kubeconfig=data/kubeconfig'], { cwd })).code === 0;
  const begin = async (): Promise<() => Promise<unknown>> => {
    const server = start(['serve', '--secure-port=0', '--store=memory://', '--data-dir=data', '--controllers=none', '--config=config.yaml'], { cwd });
    const exit = once(server, 'exit');
    await linesOf(server)();
    return () => {
      server.kill('SIGTERM');
      return exit;
    };
  };
  writeFileSync(config, 'runtime-config: batch/v1=false\n');
  let end = await begin();
  assert.equal(await isServed(), false);
  writeFileSync(config, 'runtime-config: batch/v1=true\n');
  assert.equal(await isServed(), false);
  await end();
  end = await begin();
  assert.equal(await isServed(), true);
  await end();
});
