// Packs recorded conversations for the conformance suite: node scripts/pack-conformance.mjs <folder with scenarios/ and transcripts/>
// The folder is needed only here; the suite itself runs from the packed file.
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './build.mjs';

const [from] = process.argv.slice(2);
if (from === undefined) {
  console.error('usage: node scripts/pack-conformance.mjs FOLDER');
  process.exit(2);
}
const files = {};
for (const kind of ['scenarios', 'transcripts']) {
  for (const name of fs.readdirSync(path.join(from, kind)).sort()) files[`${kind}/${name}`] = fs.readFileSync(path.join(from, kind, name), 'utf8');
}
const raw = Buffer.from(JSON.stringify(files));
const packed = brotliCompressSync(raw, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
});
fs.writeFileSync(path.join(root, 'test/conformance/data.json.br'), packed);
console.log(`${Object.keys(files).length} files, ${raw.length} bytes, packed ${packed.length}`);
