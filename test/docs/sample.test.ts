import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import type { KindDefinition } from 'orch/kinds';
import { startTestServer } from 'orch/testing';

// Inside the package: there its own name leads to its declarations, as for those who install it.
fs.mkdirSync('.cache', { recursive: true });
const folder = fs.mkdtempSync(path.resolve('.cache/sample-'));
after(() => fs.rmSync(folder, { recursive: true }));

/** The first program that a page shows. */
const sampleIn = (page: string): string => /```ts\n([^]*?)```/.exec(fs.readFileSync(page, 'utf8'))?.[1] ?? '';

function assertCompiles(name: string, sample: string): void {
  const file = path.join(folder, `${name}.mts`);
  fs.writeFileSync(file, sample);
  const flags = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', '--types', 'node'];
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--ignoreConfig', ...flags, file], { encoding: 'utf8' });
  assert.deepEqual([status, stdout], [0, '']);
}

test('the sample of the README compiles under strict TypeScript, without the library of browsers', () => {
  const sample = sampleIn('README.md');
  assert.match(sample, /startServer/);
  assertCompiles('readme', sample);
});

test('the kind that the page on kinds shows is served by a program that brings it, and judged as it says', async () => {
  const sample = sampleIn('docs/a-kind.md').replace("'#api'", "'orch/kinds'").replace("'#schema'", "'orch/schema'");
  assertCompiles('kind', sample);
  const file = path.join(folder, 'kind.mjs');
  fs.writeFileSync(file, transformSync(sample, { loader: 'ts' }).code);
  const { Recipe } = (await import(pathToFileURL(file).href)) as { readonly Recipe: KindDefinition };
  await using server = await startTestServer({ kinds: [Recipe] });
  const make = async (name: string, spec: object): Promise<unknown> => {
    const { status, body } = await server.request('POST', '/apis/example.orch.io/v1/namespaces/default/recipes', { metadata: { name }, spec });
    return status === 201 ? body.spec : body.details.causes.map(({ field }: { readonly field: string }) => field);
  };
  assert.deepEqual(await make('a', { servings: 2 }), { servings: 2, difficulty: 'Easy' });
  assert.deepEqual(await make('b', { difficulty: 'Other' }), ['spec.servings', 'spec.difficulty']);
});
