// Reads a tree of TypeScript files: what each imports (types included), and whether it exports a default. No type checker needed.
import fs from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** All `.ts` files below `root`, as sorted paths relative to it, with forward slashes. */
export function listSources(root) {
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).split(path.sep).join('/'))
    .sort();
}

/**
 * One module: `imports` are `{ specifier, line, isDynamic }` in the order of the text, `specifier` undefined where the import is computed;
 * `defaultExportLine` is where it exports a default, else undefined.
 */
export function readModule(root, file) {
  const source = fs.readFileSync(path.join(root, file), 'utf8');
  const { module, program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const lineOf = lineCounter(source);
  const imports = [];
  const add = (specifier, at, isDynamic = false) => imports.push({ specifier, line: lineOf(at), isDynamic });

  for (const found of module.staticImports) add(found.moduleRequest.value, found.start);
  for (const found of module.staticExports) {
    const request = found.entries.find((entry) => entry.moduleRequest)?.moduleRequest;
    if (request) add(request.value, found.start);
  }
  for (const found of module.dynamicImports) {
    const text = source.slice(found.moduleRequest.start, found.moduleRequest.end);
    add(/^(['"])[^'"\\]*\1$/.test(text) ? text.slice(1, -1) : undefined, found.start, true);
  }
  if (source.includes('import(')) for (const node of importTypes(program)) add(node.source?.value ?? node.argument?.literal?.value, node.start);

  const defaultExport = module.staticExports.flatMap((found) => found.entries).find((entry) => isDefault(entry.exportName));
  return { file, imports, defaultExportLine: defaultExport && lineOf(defaultExport.start) };
}

const isDefault = (name) => name.kind === 'Default' || (name.kind === 'Name' && name.name === 'default');

/** `import('…').Name` inside types stands in the syntax tree only. */
function* importTypes(node) {
  if (Array.isArray(node)) {
    for (const part of node) yield* importTypes(part);
  } else if (node !== null && typeof node === 'object') {
    if (node.type === 'TSImportType') yield node;
    for (const value of Object.values(node)) yield* importTypes(value);
  }
}

function lineCounter(source) {
  return (offset) => source.slice(0, offset).split('\n').length;
}
