import assert from 'node:assert/strict';
import { exec, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { RUN_AGAINST, RUN_HERE } from '../support/documented-commands.ts';

/** A checkout as a reader has it: what the build needs, and nothing that a server left. */
const checkout = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-reader-'));
for (const name of fs.readdirSync('.')) {
  if (!name.startsWith('orch-data')) fs.symlinkSync(path.resolve(name), path.join(checkout, name));
}
fs.mkdirSync(path.join(checkout, 'var/backups'), { recursive: true });
after(() => fs.rmSync(checkout, { recursive: true }));

// A test that runs tests: the inner ones report to whoever reads them.
const { NODE_TEST_CONTEXT: _context, ...outside } = process.env;
const env = { ...outside, PATH: `${path.resolve('.cache/clients/1.28')}:${process.env['PATH'] ?? ''}` };

/** The installed program, and folders of the system, as they are here. */
const here = (line: string): string => line.replace(/^orch /, 'npx orch ').replaceAll(/(?<=[ =])\/var\//g, `${checkout}/var/`);

/** Runs a line as a shell does; rejects when it fails. */
function run(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    exec(here(line), { cwd: checkout, env, maxBuffer: 32 << 20 }, (failure, out, err) => {
      if (failure === null) resolve(out + err);
      else reject(new Error(`${line} ended with ${failure.code}\n${out}${err}`));
    });
  });
}

/** Starts a server in a group of its own and resolves once it says how to connect. */
async function serve(line: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', here(line)], { cwd: checkout, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (/serves https:\/\//.test(printed)) return child;
  }
  throw new Error(`${line} ended without serving\n${printed}`);
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'exit');
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await closed;
}

describe('commands of README and docs', () => {
  for (const [server, commands] of Object.entries(RUN_AGAINST)) {
    it(server, async () => {
      // What is installed is what the readers would have installed.
      const child = await serve(server.replace(/^npm ci && /, ''));
      try {
        for (const command of commands) assert.notEqual(await run(command), '', command);
      } finally {
        await stop(child);
      }
    });
  }
  for (const [command, shown] of Object.entries(RUN_HERE)) {
    it(command, async () => assert.match(await run(command), shown));
  }
});
