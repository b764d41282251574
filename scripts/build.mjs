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
    for (const [folder, written] of bundle()) removeEarlier(path.join(root, folder), written, { evenToday: pack });
    removeOrphans(path.join(root, 'dist'), path.join(root, 'src'), ['bin', 'lib']);
  }
  if (tests) compile(TESTS);
}

export class BuildFailed extends Error {}

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
function* bundle() {
  const { dependencies, exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const folders = {
    // The engine keeps the text as long as the process runs. Lines stay short enough for a stack trace to lead somewhere.
    'dist/bin': { entryPoints: { orch: 'dist/cli/main.js' }, minifyWhitespace: true, lineLimit: 160 },
    // A stack trace in somebody's test leads to a line that can be read.
    'dist/lib': { entryPoints: Object.fromEntries(Object.values(exports).map(({ types, default: file }) => [path.basename(file, '.js'), types.replace(/\.d\.ts$/, '.js')])) },
  };
  for (const [outdir, options] of Object.entries(folders)) {
    const { metafile } = buildSync({
      absWorkingDir: root,
      outdir,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: true,
      external: Object.keys(dependencies),
      metafile: true,
      logLevel: 'warning',
      ...options,
    });
    yield [outdir, Object.keys(metafile.outputs).map((file) => path.basename(file))];
  }
}

function compiler() {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  return path.join(path.dirname(manifest), bin.tsc);
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
