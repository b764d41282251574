import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { allocatorSettings } from './allocator.ts';

test('the settings of the allocator are those of the packages, and what somebody chose is left alone', () => {
  const [[name, value] = []] = Object.entries(allocatorSettings({}));
  for (const file of ['Containerfile', 'orch.service']) assert.match(readFileSync(`packaging/${file}`, 'utf8'), new RegExp(`${name}=${value}$`, 'm'), file);
  assert.deepEqual(allocatorSettings({ GLIBC_TUNABLES: '' }), {});
});
