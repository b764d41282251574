import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';

// Inside the package: there its own name leads to its declarations, as for those who install it.
fs.mkdirSync('.cache', { recursive: true });
const folder = fs.mkdtempSync(path.resolve('.cache/sample-'));
after(() => fs.rmSync(folder, { recursive: true }));

test('the sample of the README compiles under strict TypeScript, without the library of browsers', () => {
  const [, sample = ''] = /```ts\n([^]*?)```/.exec(fs.readFileSync('README.md', 'utf8')) ?? [];
  assert.match(sample, /startServer/);
  const file = path.join(folder, 'sample.mts');
  fs.writeFileSync(file, sample);
  const flags = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', '--types', 'node'];
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--ignoreConfig', ...flags, file], { encoding: 'utf8' });
  assert.deepEqual([status, stdout], [0, '']);
});
