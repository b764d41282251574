// Enforces the layer table (layers.mjs) on src. Usage: node scripts/check-layers.mjs [project folder]
import { builtinModules } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { allowed, islands, layers, packages, pureFolders, vagueNames, programs } from './layers.mjs';
import { listSources, readModule } from './read-imports.mjs';

const builtins = new Set(builtinModules);
const layerOf = (file) => file.split('/')[0];
const isTest = (file) => file.endsWith('.test.ts');
/** What tests share: no program reaches it. */
const isForTests = (file) => isTest(file) || /^test-support\/|(\/test-support|-suite|\.fixture)\.ts$/.test(file);

/** Checks `<project>/src`; returns how many modules were read and every problem as `{ rule, file, line, text }`. */
export function checkLayers(project) {
  const root = path.join(project, 'src');
  const files = new Set(listSources(root));
  const manifest = JSON.parse(fs.readFileSync(path.join(project, 'package.json'), 'utf8'));
  const problems = [];
  const report = (rule, file, line, text) => problems.push({ rule, file: `src/${file}`, line, text });

  const modules = [...files].map((file) => readModule(root, file));
  for (const module of modules) {
    checkName(module.file, report);
    if (module.defaultExportLine) report('no-default-export', module.file, module.defaultExportLine, 'export it by name');
    module.targets = module.imports.flatMap((found) => {
      const target = resolve(module.file, found.specifier, files, manifest);
      checkImport(module.file, found, target, (rule, text) => report(rule, module.file, found.line, text));
      return target.kind === 'file' ? [target.file] : [];
    });
  }
  checkCycles(modules, report);
  checkOrphans(modules, manifest, report);
  return { modules: modules.length, problems };
}

/** What a specifier means: a file of src, a Node module, a package, or one of several mistakes. */
function resolve(from, specifier, files, manifest) {
  if (specifier === undefined) return { kind: 'computed' };
  if (specifier.startsWith('#')) {
    const file = `${specifier.slice(1)}/index.ts`;
    if (specifier.includes('/')) return { kind: 'pastDoor' };
    return files.has(file) ? { kind: 'file', file } : { kind: 'missing' };
  }
  if (specifier.startsWith('.')) {
    const file = path.posix.join(path.posix.dirname(from), specifier);
    if (file.startsWith('..')) return { kind: 'outside' };
    if (files.has(file)) return { kind: 'file', file };
    return { kind: 'missing' };
  }
  if (specifier.startsWith('node:')) return { kind: 'node' };
  if (builtins.has(specifier)) return { kind: 'barePrefix' };
  const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  return name === manifest.name ? { kind: 'pastDoor' } : { kind: 'package', name };
}

/** Every rule that looks at one import. Tests may import more (they see everything from outside) but use the same doors. */
function checkImport(from, { specifier }, target, report) {
  const layer = layerOf(from);
  const pure = pureFolders[layer];
  if (target.kind === 'computed') report('no-computed-import', 'an import that is computed at run time cannot be checked; write it out');
  if (target.kind === 'missing') report('unresolved', `${specifier} is no file of src (relative imports end in .ts, other folders are spelled #folder)`);
  if (target.kind === 'outside') report('one-door', `${specifier} leaves src`);
  if (target.kind === 'pastDoor') report('one-door', `${specifier}: another folder is imported as #folder, through its index.ts`);
  if (target.kind === 'barePrefix') report('node-prefix', `write node:${specifier}`);
  if (target.kind === 'file') checkDoor(from, specifier, target.file, report);
  if (isForTests(from)) return;
  if (target.kind === 'node' && pure) report('pure-stays-pure', `${layer} is pure and may not import ${specifier}`);
  if (target.kind === 'package') checkPackage(from, target.name, pure, report);
  if (target.kind === 'file') checkLayer(from, target.file, report);
}

function checkDoor(from, specifier, to, report) {
  const [here, there] = [layerOf(from), layerOf(to)];
  if (here !== there && specifier.startsWith('.')) report('one-door', `${specifier}: write #${there}; a folder is entered through its index.ts only`);
  if (here === there && to === `${here}/index.ts` && !isTest(from)) report('not-through-own-door', `inside ${here} import the file itself, not ${specifier}`);
  if (isTest(to) || (isForTests(to) && !isForTests(from))) report('no-import-of-tests', `${specifier} is a test, or belongs to tests`);
}

function checkPackage(from, name, pure, report) {
  if (pure && !pure.includes(name)) return report('pure-stays-pure', `${layerOf(from)} is pure and may not import the package ${name}`);
  const homes = packages[name];
  if (!homes) return report('package-unlisted', `${name} has no home in scripts/layers.mjs`);
  if (!homes.some((home) => from.startsWith(`${home}/`))) report(`package-${name}`, `${name} is imported in ${homes.join(', ')} only`);
}

function checkLayer(from, to, report) {
  const [here, there] = [layerOf(from), layerOf(to)];
  if (!Object.hasOwn(layers, here)) return report('unknown-layer', `src/${here} has no row in scripts/layers.mjs`);
  for (const { rule, island, doors, layers: only, why } of islands) {
    const mine = island.exec(from)?.[0];
    if (!mine) continue;
    if (here === there && island.exec(to)?.[0] !== mine && !doors.includes(to)) report(rule, `${to}: ${why}`);
    if (here !== there && only && !only.includes(there)) report(rule, `#${there}: ${why}`);
  }
  if (here !== there && !allowed(here).includes(there)) report(`layer-${here}`, `${here} may not import ${there}`);
}

function checkName(file, report) {
  const names = file.split('/').map((part) => part.replace(/(\.[a-z]+)*\.ts$/, ''));
  for (const name of names) {
    if (vagueNames.includes(name)) report('vague-name', file, 1, `"${name}" does not say what is inside`);
    else if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) report('file-name', file, 1, `"${name}" is not kebab-case`);
  }
}

/** Reports each group of files that import one another in a circle once, type imports included (Tarjan's algorithm). */
function checkCycles(modules, report) {
  const targets = new Map(modules.map((module) => [module.file, module.targets]));
  const order = new Map();
  const low = new Map();
  const stack = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const to of targets.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file), low.get(to)));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1 || targets.get(file).includes(file)) report('no-cycles', circle[0], 1, `circle: ${shortestCircle(circle, targets).join(' → ')}`);
  };
  for (const { file } of modules) if (!order.has(file)) visit(file);
}

/** The shortest way from the first file of a circle back to itself, for a message one can act on. */
function shortestCircle(circle, targets) {
  const start = circle[0];
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const to of targets.get(way.at(-1))) {
      if (to === start) return [...way, start];
      if (circle.includes(to) && !seen.has(to)) ways.push([...way, to]);
      seen.add(to);
    }
  }
  return circle;
}

/** A file that no program reaches is dead, or only half wired. */
function checkOrphans(modules, manifest, report) {
  const byFile = new Map(modules.map((module) => [module.file, module]));
  const doors = Object.values(manifest.exports ?? {})
    .map((target) => (typeof target === 'string' ? target : target.types))
    .map((target) => target.replace(/^(\.\/)?dist\//, '').replace(/(?:\.js|\.d\.ts)$/, '.ts'));
  const entries = [...doors, ...programs];
  const reached = new Set();
  const queue = entries.filter((file) => byFile.has(file));
  for (const file of queue) {
    if (reached.has(file)) continue;
    reached.add(file);
    queue.push(...byFile.get(file).targets);
  }
  for (const { file } of modules) {
    if (!reached.has(file) && !isForTests(file)) report('no-orphans', file, 1, 'no public export and no program reaches it');
  }
}

function main(project) {
  const { modules, problems } = checkLayers(project);
  for (const { rule, file, line, text } of problems) console.log(`${file}:${line}  ${rule}  ${text}`);
  console.log(`layers: ${modules} modules, ${problems.length} problems`);
  process.exitCode = problems.length > 0 || modules === 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(path.resolve(process.argv[2] ?? '.'));
