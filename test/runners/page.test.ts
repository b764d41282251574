import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startServer } from '#server';
import { startTestServer } from '#testing';

test('the page on tests shows code that runs here', () => {
  assert.ok(readFileSync('docs/in-tests.md', 'utf8').includes(`\`\`\`ts\n${readFileSync('test/runners/example.test.ts', 'utf8')}\`\`\``));
});

test('a block ends the server that it uses, and to end it twice is no mistake', async () => {
  let url;
  {
    await using server = await startServer();
    ({ url } = server);
    assert.equal((await fetch(`${url}/livez`)).status, 200);
  }
  await assert.rejects(fetch(`${url}/livez`));
  const server = await startTestServer();
  await Promise.all([server.close(), server[Symbol.asyncDispose]()]);
});

test('a server that has ended writes nothing, and says so', async () => {
  const server = await startTestServer();
  await server.close();
  const { status, body } = await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'late' } });
  assert.equal(status, 503);
  assert.equal((body as { reason: string }).reason, 'ServiceUnavailable');
});

test('the page on tests names the packages whose scripts pnpm asks about, none of which is needed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Readonly<Record<string, { readonly hasInstallScript?: boolean; readonly dev?: boolean }>> };
  const names = Object.entries(packages).flatMap(([place, { hasInstallScript, dev }]) => (hasInstallScript === true && dev !== true ? [place.replace(/^.*node_modules\//, '')] : []));
  assert.ok(names.length > 0);
  const said = `allowBuilds: { ${names.sort().map((name) => `${name}: false`).join(', ')} }`;
  assert.ok(readFileSync('docs/in-tests.md', 'utf8').includes(`\`${said}\``), said);
});
