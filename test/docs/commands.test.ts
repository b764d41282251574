import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { documentedCommands, NOT_RUN, RUN_AGAINST, RUN_BY_CI, RUN_HERE } from '../support/documented-commands.ts';

const againstServers = new Set(Object.entries(RUN_AGAINST).flatMap(([server, commands]) => [server, ...commands]));
const isKnown = (text: string): boolean => [RUN_BY_CI, RUN_HERE, NOT_RUN].some((table) => Object.hasOwn(table, text)) || againstServers.has(text);

test('every command of README and docs is run in CI, or says why not', () => {
  const commands = documentedCommands();
  assert.ok(commands.length > 10, 'the commands are found');
  const unknown = commands.filter(({ text }) => !isKnown(text));
  assert.deepEqual(unknown, [], 'put them into test/support/documented-commands.ts');
});

test('what is run is still documented', () => {
  const documented = new Set(documentedCommands().map(({ text }) => text));
  const all = [...againstServers, ...Object.keys(RUN_BY_CI), ...Object.keys(RUN_HERE), ...Object.keys(NOT_RUN)];
  assert.deepEqual(all.filter((text) => !documented.has(text)), []);
});

test('what CI is said to run stands in .ci/run', () => {
  const script = fs.readFileSync('.ci/run', 'utf8');
  assert.deepEqual(Object.values(RUN_BY_CI).filter((text) => !script.includes(text)), []);
});
