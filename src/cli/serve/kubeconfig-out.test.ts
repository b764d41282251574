import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { FLAGS, formatKubeconfig } from '#server';
import { parseFlags } from '../parse-flags.ts';
import { checkKubeconfigOut } from './kubeconfig-out.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-kubeconfig-out-'));
after(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'config');
const check = (at = path): Promise<void> => checkKubeconfigOut(parseFlags([`--kubeconfig-out=${at}`], FLAGS).flags);
const own = formatKubeconfig({ server: 'https://127.0.0.1:1', authorityPem: 'pem', token: 'token' });
const more = (list: string, entry: object): string => {
  const config = JSON.parse(own) as Record<string, object[]>;
  return JSON.stringify({ ...config, [list]: [...(config[list] ?? []), entry] });
};

describe('--kubeconfig-out', () => {
  const replaced: readonly (readonly [name: string, text: string])[] = [
    ['what this program wrote', own],
    ['the same after kubectl changed the namespace', 'clusters: [{name: orch, cluster: {}}]\nusers: [{name: admin}]\ncontexts: [{name: orch, context: {namespace: n}}]\npreferences: {}\n'],
    ['an empty file', ''],
  ];
  for (const [name, text] of replaced) {
    test(`${name} is replaced`, async () => {
      writeFileSync(path, text);
      await check();
    });
  }

  const kept: readonly (readonly [name: string, text: string])[] = [
    ['another cluster', more('clusters', { name: 'production' })],
    ['another user', more('users', { name: 'me' })],
    ['another context', more('contexts', { name: 'production' })],
    ['the cluster of another program', own.replace('"name": "orch"', '"name": "kind"')],
    ['no user', more('users', {}).replace(/"users":\[[^\]]*\]/, '"users":[]')],
    ['what is no kubeconfig', 'a text'],
    ['what is no YAML', 'a: ['],
    ['more than this program writes', own + ' '.repeat(1_000_000)],
  ];
  for (const [name, text] of kept) {
    test(`${name} stays`, async () => {
      writeFileSync(path, text);
      await assert.rejects(check(), { name: 'Error', message: new RegExp(`^--kubeconfig-out: ${path} is not a kubeconfig of this program and stays as it is: name another file`) });
    });
  }

  test('a device stays', () => assert.rejects(check('/dev/null'), /stays as it is/));

  test('a path where nothing can be written is left to the attempt', async () => {
    mkdirSync(join(folder, 'folder'));
    for (const place of ['folder', 'nowhere/config', 'config/below']) await check(join(folder, place));
  });
});
