import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const AWAY = String.raw`process.dlopen = () => { throw new Error('it is not here\nRequire stack:\n- of nobody'); };`;

for (const [why, flags, before, help] of [
  ['is not there', [], AWAY, /^install the optional packages too/],
  ['may not be loaded', ['--no-addons'], '', /^start Node without --no-addons, and with --allow-addons where it has --permission, or/],
  ['may not make code as it goes', ['--disallow-code-generation-from-strings'], '', /^start Node without --disallow-code-generation-from-strings, or/],
] as const) {
  test(`where the native library of a store ${why}, somebody is told what helps, and other stores work`, () => {
    const program = `
      ${before}
      const { startServer } = await import(${JSON.stringify(import.meta.resolve('#server'))});
      await (await startServer()).close();
      await startServer({ store: 'lmdb:///tmp/orch-nowhere' }).catch(({ message }) => console.log(message));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', program], { encoding: 'utf8', timeout: 60_000 });
    const [, told] = /^the native library of lmdb:\/\/ stores cannot be loaded \(.*?\): (.*)\n$/.exec(stdout) ?? [];
    assert.match(told ?? '', help, stdout + stderr);
    assert.match(told ?? '', /, or use a sqlite:\/\/ store$/);
    assert.doesNotMatch(stdout, /Require stack/);
  });
}
