// The table inside docs/layers.md, made from layers.mjs.
import fs from 'node:fs';
import path from 'node:path';
import { allowed, layers, packages, pureFolders } from './layers.mjs';

const BEGIN = '<!-- table: npm run gen -->';
const END = '<!-- end of table -->';

/** docs/layers.md with its table brought up to date; undefined when there is no such page. */
export function layerPage(project) {
  const file = path.join(project, 'docs/layers.md');
  if (!fs.existsSync(file)) return undefined;
  const text = fs.readFileSync(file, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/layers.md needs the lines ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n${table()}${END}${after}`;
}

function table() {
  const rows = Object.keys(layers)
    .reverse()
    .map((name) => {
      const to = layers[name].includes('*') ? 'everything below' : allowed(name).map((other) => `\`${other}\``).join(' ') || 'nothing';
      const home = Object.keys(packages).filter((pack) => packages[pack].some((place) => place === name || place.startsWith(`${name}/`)));
      return `| \`${name}\` | ${to} | ${Object.hasOwn(pureFolders, name) ? 'yes' : ''} | ${home.map((pack) => `\`${pack}\``).join(' ')} |\n`;
    });
  return `| Folder | May import | Pure | Packages at home here |\n|---|---|---|---|\n${rows.join('')}`;
}
