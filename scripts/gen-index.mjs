// npm run gen: writes the lists that are made from folder contents. With --check only compares, and fails when one is out of date.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './build.mjs';
import { listSources } from './read-imports.mjs';
import { layerPage } from './layer-page.mjs';

const HEADER = '// Made by `npm run gen` from the files in this folder. Do not edit.\n';

/** Every generated file of a project as path → text; files whose folder has nothing to list yet are left out. */
export function generate(project) {
  const src = path.join(project, 'src');
  const files = listSources(src).filter((file) => !file.endsWith('.test.ts'));
  const read = (file) => fs.readFileSync(path.join(src, file), 'utf8');
  const lists = {
    'src/kinds/index.gen.ts': kindList(files, read),
    'src/storage/engines/index.gen.ts': engineList(files),
    'src/admission/plugins/index.gen.ts': pluginList(files, read),
  };
  const page = layerPage(project);
  return new Map(Object.entries({ ...lists, ...(page === undefined ? {} : { 'docs/layers.md': page }) }).filter(([, text]) => text !== undefined));
}

/** Names that a file exports as constants made by `maker(`. */
function made(text, maker) {
  return [...text.matchAll(new RegExp(`^export const (\\w+)(?:: [^=]+)? = ${maker}\\(`, 'gm'))].map(([, name]) => name);
}

/** `src/kinds/<group>/<kind>.ts`: one kind a file. Files deeper down hold shared messages, not kinds. */
function kindList(files, read) {
  const kinds = files
    .filter((file) => /^kinds\/[^/]+\/[^/]+\.ts$/.test(file))
    .flatMap((file) => made(read(file), 'defineKind').map((name) => ({ name, from: `./${file.slice('kinds/'.length)}` })));
  if (kinds.length === 0) return undefined;
  refuseTwins(kinds);
  return [
    HEADER,
    "import type { KindDefinition } from '#api';\n",
    ...kinds.map(({ name, from }) => `import { ${name} } from '${from}';\n`),
    '\n',
    `export { ${kinds.map(({ name }) => name).join(', ')} };\n`,
    '\n/** Every built-in kind, by folder and file name. */\n',
    'export const allKinds: readonly KindDefinition[] = [\n',
    ...kinds.map(({ name }) => `  ${name},\n`),
    '];\n',
  ].join('');
}

/** `src/storage/engines/<scheme>/index.ts` exports `driver`; the scheme is the folder's name. */
function engineList(files) {
  const schemes = files.flatMap((file) => /^storage\/engines\/([^/]+)\/index\.ts$/.exec(file)?.[1] ?? []);
  if (schemes.length === 0) return undefined;
  return HEADER + schemes.map((scheme) => `export { driver as ${camel(scheme)} } from './${scheme}/index.ts';\n`).join('');
}

/** `src/admission/plugins/<area>/<name>.ts` exports one plugin. */
function pluginList(files, read) {
  const plugins = files
    .filter((file) => /^admission\/plugins\/[^/]+\/[^/]+(\/index)?\.ts$/.test(file))
    .flatMap((file) => made(read(file), 'definePlugin').map((name) => ({ name, from: `./${file.slice('admission/plugins/'.length)}` })));
  if (plugins.length === 0) return undefined;
  refuseTwins(plugins);
  return HEADER + plugins.map(({ name, from }) => `export { ${name} } from '${from}';\n`).join('');
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

function refuseTwins(list) {
  const seen = new Map();
  for (const { name, from } of list) {
    if (seen.has(name)) throw new Error(`${from} and ${seen.get(name)} both export ${name}; give one of them another name`);
    seen.set(name, from);
  }
}

function main(isCheck) {
  let stale = 0;
  for (const [file, text] of generate(root)) {
    const place = path.join(root, file);
    if (fs.existsSync(place) && fs.readFileSync(place, 'utf8') === text) continue;
    stale += 1;
    console.log(isCheck ? `${file} is out of date: run \`npm run gen\`` : `wrote ${file}`);
    if (!isCheck) fs.writeFileSync(place, text);
  }
  if (isCheck && stale > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.includes('--check'));
