// Builds what changed: src to dist and, with --tests, test and bench to .cache/built. Does nothing, fast, when nothing changed.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { buildSync } from 'esbuild';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { removeEarlier, removeOrphans } from './leftovers.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const SOURCES = { config: 'tsconfig.json', out: 'dist', inputs: ['src', 'package.json', 'tsconfig.json'] };
const TESTS = { config: 'tsconfig.test.json', out: '.cache/built', inputs: ['test', 'bench', 'tsconfig.test.json', 'dist/.built'] };

/**
 * Compiles the product when an input is newer than the last good build. `pack`: always, and nothing of earlier builds stays.
 * Throws `BuildFailed` when the compiler finds errors.
 */
export function build({ tests = false, pack = false } = {}) {
  if (pack) fs.rmSync(path.join(root, SOURCES.out, '.built'), { force: true });
  if (compile(SOURCES)) {
    for (const [folder, written] of bundleProduct()) removeEarlier(path.join(root, folder), written, { evenToday: pack });
    removeOrphans(path.join(root, 'dist'), path.join(root, 'src'), ['bin', 'lib']);
  }
  if (tests && compile(TESTS)) bundleRooms();
}

class BuildFailed extends Error {}

function compile({ config, out, inputs }) {
  const stamp = path.join(root, out, '.built');
  const builtAt = modified(stamp);
  const startedAt = new Date();
  if (builtAt > 0 && inputs.every((input) => newest(path.join(root, input)) <= builtAt)) return false;
  // The compiler rewrites only what changed; with its output gone its memory of that output must go too.
  if (builtAt === 0) fs.rmSync(path.join(root, out, '.tsbuildinfo'), { force: true });
  console.error(`compiling ${inputs[0]} (some seconds)`);
  const { status } = spawnSync(process.execPath, [compiler(), '-p', config, '--pretty', String(process.stdout.isTTY ?? false)], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    fs.rmSync(stamp, { force: true });
    throw new BuildFailed(`the compiler found errors (${config})`);
  }
  fs.writeFileSync(stamp, '');
  // The time before compiling, so that a file saved meanwhile counts as changed.
  fs.utimesSync(stamp, startedAt, startedAt);
  return true;
}

/**
 * The program and the library, each in a few files: loading a thousand small ones would take most of the half second a start may take, and a test
 * runner loads the library once for every test file. Gives the names of the files by folder.
 */
function* bundleProduct() {
  const { exports } = manifest();
  // The engine keeps the text as long as the process runs. Lines stay short enough for a stack trace to lead somewhere.
  yield ['dist/bin', bundle('dist/bin', { orch: 'dist/cli/main.js' }, { minifyWhitespace: true, lineLimit: 160 })];
  // A stack trace in somebody's test leads to a line that can be read.
  const library = Object.values(exports).map(({ types, default: file }) => [path.basename(file, '.js'), types.replace(/\.d\.ts$/, '.js')]);
  yield ['dist/lib', bundle('dist/lib', Object.fromEntries(library))];
}

/**
 * Every room's door in a few files, which is what `#room` means to tests and benches: each of them is a process of its own, and would spend most of
 * its second on loading. All else of the package is to them what it is to the product.
 */
function bundleRooms() {
  const rooms = fs.readdirSync(path.join(root, 'dist')).filter((name) => fs.existsSync(path.join(root, 'dist', name, 'index.js')));
  const folder = path.join(TESTS.out, 'rooms');
  fs.rmSync(path.join(root, folder), { recursive: true, force: true });
  bundle(folder, { ...Object.fromEntries(rooms.map((room) => [room, `dist/${room}/index.js`])), 'engine-suite': 'dist/storage/engine-suite.js' });
  const own = manifest();
  own.imports['#*'] = './rooms/*.js';
  fs.writeFileSync(path.join(root, TESTS.out, 'package.json'), JSON.stringify(own, undefined, 2));
  const product = path.join(root, TESTS.out, 'dist');
  // Relative, so that a copy of the whole leads to its own.
  if (!fs.existsSync(product)) fs.symlinkSync(path.relative(path.dirname(product), path.join(root, 'dist')), product, 'junction');
}

/** Gives the names of the files written. */
function bundle(outdir, entryPoints, options = {}) {
  const { metafile } = buildSync({
    absWorkingDir: root,
    outdir,
    entryPoints,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    external: Object.keys(manifest().dependencies),
    metafile: true,
    logLevel: 'warning',
    ...options,
  });
  return Object.keys(metafile.outputs).map((file) => path.basename(file));
}

const manifest = () => JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

function compiler() {
  const file = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return path.join(path.dirname(file), bin.tsc);
}

const modified = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Newest change at or below `place`; folders count, so that a removed file is a change too. */
function newest(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat) return 0;
  let latest = stat.mtimeMs;
  if (stat.isDirectory()) for (const name of fs.readdirSync(place)) latest = Math.max(latest, newest(path.join(place, name)));
  return latest;
}

/** Runs `task`, and ends the process with 1 and one line when the build fails (the compiler has said why). */
export function orExplain(task) {
  try {
    task();
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  orExplain(() => build({ tests: process.argv.includes('--tests'), pack: process.argv.includes('--pack') }));
}
