import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const { allowedNodeEnvironmentFlags: known } = process;
const MODEL = known.has('--permission') ? '--permission' : '--experimental-permission';
/** What the page names for LMDB and SQLite alone. */
const ONLY_FOR: Readonly<Record<string, string>> = { '--allow-addons': 'lmdb', '--allow-worker': 'sqlite' };

/** The permissions that the page says a server with a store of `scheme` needs. */
function permissionsFor(scheme: string): readonly string[] {
  const [line = ''] = /^- Node's permission model: .*$/m.exec(readFileSync('docs/in-tests.md', 'utf8')) ?? [];
  return [...line.matchAll(/--allow-[a-z-]+/g)].map(([flag]) => flag).filter((flag) => (ONLY_FOR[flag] ?? scheme) === scheme);
}

for (const scheme of ['memory', 'lmdb', 'sqlite']) {
  const skip = scheme === 'sqlite' && process.getBuiltinModule('node:sqlite') === undefined;
  test(`a server with a ${scheme}:// store runs with the permissions that the page on tests names`, { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'orch-permissions-'));
    const places: Readonly<Record<string, string>> = { '--allow-fs-read': '=*', '--allow-fs-write': `=${folder}/*` };
    const allowed = permissionsFor(scheme).filter((flag) => known.has(flag) && !(scheme === 'memory' && flag === '--allow-fs-write'));
    const program = `
      const { startServer } = await import(${JSON.stringify(import.meta.resolve('#server'))});
      const server = await startServer({ store: ${JSON.stringify(scheme === 'memory' ? 'memory://' : `${scheme}://${folder}/store`)} });
      console.log((await fetch(server.url + '/livez')).status);
      await server.close();
    `;
    const { stdout, stderr } = spawnSync(process.execPath, [MODEL, ...allowed.map((flag) => flag + (places[flag] ?? '')), '--input-type=module', '-e', program], { encoding: 'utf8', timeout: 60_000 });
    rmSync(folder, { recursive: true });
    assert.equal(stdout, '200\n', stderr);
  });
}
