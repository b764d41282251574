// npm run bench [-- words]: builds, then runs bench/main.ts, or every program in bench whose name contains one of the words.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { build, orExplain, root } from './build.mjs';

orExplain(() => build({ tests: true }));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const programs = fs.readdirSync(path.join(root, 'bench')).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
const chosen = words.length > 0 ? programs.filter((name) => words.some((word) => name.includes(word))) : programs.filter((name) => name === 'main.ts');
if (chosen.length === 0) {
  console.error(`nothing to run; bench has ${programs.join(' ') || 'no programs yet'}`);
  process.exit(1);
}
for (const name of chosen) {
  const program = path.join('.cache/built/bench', name.replace(/\.ts$/, '.js'));
  const { status } = spawnSync(process.execPath, ['--expose-gc', program, ...flags], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
