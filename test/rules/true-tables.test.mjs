// What src says of itself is so: a room's index.ts shows what somebody takes, and packages are used where they are said to be at home.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'oxc-parser';
import { root } from '../../scripts/build.mjs';
import { layers, packages } from '../../scripts/layers.mjs';
import { listSources, readModule } from '../../scripts/read-imports.mjs';

const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const src = path.join(root, 'src');

/** What a file takes through the doors of rooms, as `room name`; `room *` where it takes all. */
function takenIn(folder, file) {
  const text = fs.readFileSync(path.join(root, folder, file), 'utf8');
  const { module } = parseSync(file, text);
  const entries = [...module.staticImports, ...module.staticExports].flatMap((statement) =>
    statement.entries.map((entry) => [statement.moduleRequest?.value ?? entry.moduleRequest?.value, entry.importName.name ?? '*']),
  );
  // The names that a dynamic import is taken apart into.
  const dynamic = [...text.matchAll(/(?:\{([^{}]*)\} = await |await )import\('(#[a-z]+)'\)\)?(?:\.(\w+))?/g)].flatMap(([, names = '', from, member]) =>
    [...names.split(','), member ?? ''].map((name) => [from, name.trim()]),
  );
  return [...entries, ...dynamic].flatMap(([from, name]) => (from?.startsWith('#') ? [`${from.slice(1)} ${name}`] : []));
}

test('a door shows what somebody takes through it, a test at least; what is public is shown for others', () => {
  const taken = new Set(['src', 'test', 'bench'].flatMap((folder) => listSources(path.join(root, folder)).flatMap((file) => takenIn(folder, file))));
  const isPublic = (room) => Object.values(manifest.exports).some(({ types }) => types === `./dist/${room}/index.d.ts`);
  const rooms = Object.keys(layers).filter((room) => !isPublic(room) && fs.existsSync(path.join(src, room, 'index.ts')));
  const idle = rooms.flatMap((room) => {
    const { module } = parseSync('index.ts', fs.readFileSync(path.join(src, room, 'index.ts'), 'utf8'));
    const shown = module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName: { name } }) => (name === null ? [] : [`${room} ${name}`])));
    return taken.has(`${room} *`) ? [] : shown.filter((name) => !taken.has(name));
  });
  assert.ok(rooms.length > 15 && taken.size > 500, 'nothing was looked at');
  assert.deepEqual(idle, []);
});

test('every package is imported in each of its home folders, and is a dependency', () => {
  const modules = listSources(src).map((file) => readModule(src, file));
  const isOf = (specifier, name) => specifier === name || specifier?.startsWith(`${name}/`);
  const isUsedIn = (home, name) => modules.some(({ file, imports }) => file.startsWith(`${home}/`) && imports.some(({ specifier }) => isOf(specifier, name)));
  const idle = Object.entries(packages).flatMap(([name, homes]) => homes.filter((home) => !isUsedIn(home, name)).map((home) => `${name} in ${home}`));
  assert.deepEqual(idle, []);
  assert.deepEqual(Object.keys(packages).filter((name) => !Object.hasOwn(manifest.dependencies, name)), []);
});
