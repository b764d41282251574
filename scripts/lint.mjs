// npm run lint: oxlint with the rules that need types (promises left alone, and the like). Warnings count as failures.
import { createRequire } from 'node:module';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { root } from './build.mjs';

const oxlint = path.join(path.dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint');
const places = ['src', 'test', 'bench', 'scripts'];
const { status } = spawnSync(process.execPath, [oxlint, '--type-aware', '--deny-warnings', ...process.argv.slice(2), ...places], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
