// npm run clean: removes everything a build makes. Downloaded clients in .cache/clients stay.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './build.mjs';

for (const folder of ['dist', '.cache/built']) fs.rmSync(path.join(root, folder), { recursive: true, force: true });
