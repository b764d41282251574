// npm start -- FLAGS: builds what changed, then runs `orch serve FLAGS` in this very process, so that signals, exit codes and
// the terminal are the server's own.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, orExplain, root } from './build.mjs';

orExplain(() => build());
// What the server says of its start does not count what the build took.
performance.mark('built');
const program = path.join(root, 'dist/bin/orch.js');
process.argv.splice(1, 1, program, 'serve');
await import(pathToFileURL(program).href);
