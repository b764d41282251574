// npm run conformance [-- --dialect orch --filter '^list/' --update --known-good --verbose]: builds, then runs test/conformance/run.ts.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, orExplain, root } from './build.mjs';

orExplain(() => build({ tests: true }));
process.chdir(root);
await import(pathToFileURL(path.join(root, '.cache/built/test/conformance/run.js')).href);
