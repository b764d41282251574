import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

test('where the native library of a store is not there, somebody is told what helps, and other stores work', () => {
  const program = `
    process.dlopen = () => { throw new Error('it is not here\\nRequire stack:\\n- of nobody'); };
    const { startServer } = await import(${JSON.stringify(import.meta.resolve('#server'))});
    await (await startServer()).close();
    await startServer({ store: 'lmdb:///tmp/orch-nowhere' }).catch(({ message }) => console.log(message));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 60_000 });
  assert.match(stdout, /^the native library of lmdb:\/\/ stores cannot be loaded \(.*\): install the optional packages.*\n$/, stderr);
  assert.doesNotMatch(stdout, /Require stack/);
});
