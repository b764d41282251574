import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('a Node that is too old for the command is told of by its version and its place, with the one that is needed', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const older = ['--import', 'data:text/javascript,delete process.getBuiltinModule'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...older, 'dist/bin/orch.js', '--help'], { encoding: 'utf8', timeout: 60_000 });
  const needed = engines.node.replace('>=', '');
  assert.deepEqual({ status, stdout, stderr }, { status: 1, stdout: '', stderr: `orch: it needs Node ${needed} or newer, and this is ${process.versions.node} (${process.execPath})\n` });
});
