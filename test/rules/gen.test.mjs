// The generated lists: what gets into them, in which order, and what is refused.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { generate } from '../../scripts/gen-index.mjs';

function generated(files) {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-gen-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
      fs.writeFileSync(path.join(project, file), text);
    }
    return generate(project);
  } finally {
    fs.rmSync(project, { recursive: true });
  }
}

test('kinds come sorted by folder and file; shared messages and tests stay out', () => {
  const lists = generated({
    'src/kinds/core/secret.ts': "export const Secret = defineKind(Body, {});\n",
    'src/kinds/apps/deployment.ts': "export const helper = 1;\nexport const Deployment: Kind = defineKind(Body, {});\n",
    'src/kinds/core/secret.test.ts': "export const Fake = defineKind(Body, {});\n",
    'src/kinds/core/pod/pod-spec.ts': "export const PodSpec = defineKind(Body, {});\n",
  });
  const text = lists.get('src/kinds/index.gen.ts');
  assert.match(text, /import \{ Deployment \} from '\.\/apps\/deployment\.ts';\nimport \{ Secret \} from '\.\/core\/secret\.ts';/);
  assert.match(text, /allKinds: readonly KindDefinition\[\] = \[\n {2}Deployment,\n {2}Secret,\n\];/);
  assert.doesNotMatch(text, /Fake|PodSpec|helper/);
});

test('two kinds of one name are refused, with both files named', () => {
  const twins = { 'src/kinds/core/event.ts': 'export const Event = defineKind(B, {});\n', 'src/kinds/events/event.ts': 'export const Event = defineKind(B, {});\n' };
  assert.throws(() => generated(twins), /events\/event\.ts.*core\/event\.ts.*Event/);
});

test('engines are named after their folders', () => {
  const lists = generated({ 'src/storage/engines/memory/index.ts': 'export const driver = 1;\n', 'src/storage/engines/lmdb/index.ts': 'export const driver = 1;\n' });
  assert.match(lists.get('src/storage/engines/index.gen.ts'), /driver as lmdb.*\n.*driver as memory/);
});

test('a folder that does not exist has no list', () => {
  assert.deepEqual([...generated({ 'src/base/index.ts': 'export const a = 1;\n' }).keys()], []);
});
