// What a program loads is what its user waits for: with the server and all kinds a command of a client takes twice as long to start.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readModule } from '../../scripts/read-imports.mjs';

const dist = path.resolve('dist');

/** The rooms that a compiled module loads with it, by what it imports and does not wait for. */
function roomsOf(entry) {
  const seen = new Set([entry]);
  for (const file of seen) {
    const { imports } = readModule(dist, file);
    for (const { specifier, isDynamic } of imports) {
      if (isDynamic) continue;
      if (specifier.startsWith('#') && specifier !== '#package.json') seen.add(`${specifier.slice(1)}/index.js`);
      else if (specifier.startsWith('.')) seen.add(path.posix.join(path.posix.dirname(file), specifier));
    }
  }
  return new Set([...seen].map((file) => file.split('/')[0]));
}

const CLIENTS = ['api-resources', 'apply', 'create', 'delete', 'get', 'version'].map((name) => `cli/commands/${name}.js`);

for (const entry of ['cli/program.js', 'cli/commands/envtest.js', ...CLIENTS, 'client/index.js']) {
  test(`${entry} loads neither the server nor the kinds`, () => {
    const rooms = roomsOf(entry);
    assert.ok(rooms.has('base'));
    assert.deepEqual(['server', 'kinds', 'storage', 'http', 'controllers'].filter((room) => rooms.has(room)), []);
  });
}

test('the command that serves loads the server', () => assert.ok(roomsOf('cli/commands/serve.js').has('kinds')));
