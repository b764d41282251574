// npm run check calls this: what package.json exports is what the pages describe, each export has its file,
// and the declarations are such that TypeScript from 5.4 on reads them.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './build.mjs';

const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const spelled = (subpath) => manifest.name + subpath.slice(1);
const exported = new Map(Object.entries(manifest.exports).map(([subpath, target]) => [spelled(subpath), target]));
const problems = [];

for (const [name, { types, default: program }] of exported) {
  const source = types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts');
  if (!fs.existsSync(path.join(root, source))) problems.push(`package.json exports ${name}, but there is no ${source}`);
  if (!fs.existsSync(path.join(root, program))) problems.push(`package.json exports ${name}, but the build writes no ${program}`);
}

const pages = ['README.md', ...fs.readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)].filter((page) => page.endsWith('.md'));
const described = new Set();
for (const page of pages) {
  if (!fs.existsSync(path.join(root, page))) continue;
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  const mentions = new RegExp(`(?:from |import\\()?(['"\`])(${manifest.name}(?:/[a-z-]+)?)\\1`, 'g');
  for (const [mention, , name] of text.matchAll(mentions)) {
    described.add(name);
    // A command such as `orch` alone is no import; an import statement must name something that exists.
    if (/^(from|import)/.test(mention) && !exported.has(name)) problems.push(`${page} imports ${name}, which package.json does not export`);
  }
}
for (const name of exported.keys()) if (!described.has(name)) problems.push(`${name} is exported, but no page names it`);

// Bytes got a type parameter in 5.7. Where a type is left to the compiler it may be written down with one.
for (const entry of fs.readdirSync(path.join(root, 'dist'), { recursive: true })) {
  if (!entry.endsWith('.d.ts') || /\.(?:test|fixture)\.|test-support|-suite/.test(entry)) continue;
  const [found] = /\b(?:Buffer|Uint8Array)<\w+>/.exec(fs.readFileSync(path.join(root, 'dist', entry), 'utf8')) ?? [];
  if (found !== undefined) problems.push(`dist/${entry} says ${found}: write the type down in the source, without the parameter`);
}

for (const problem of problems) console.log(problem);
console.log(`exports: ${exported.size} public paths, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
