import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../test/golden/patch/${name}`, import.meta.url), 'utf8'));

/** One case of a rule of RFC 6902. `differs`: what the row shows is not what the RFC says, and why. */
interface JsonPatchRow {
  readonly what: string;
  /** Section or appendix of the RFC. */
  readonly rule: string;
  readonly document: unknown;
  readonly patch: unknown;
  readonly result?: unknown;
  readonly refused?: true;
  readonly differs?: string;
}

for (const { what, rule, document, patch, result, refused } of read('json-patch.json') as readonly JsonPatchRow[]) {
  test(`RFC 6902 ${rule}: ${what}`, () => {
    const before = JSON.stringify(document);
    if (refused === true) assert.throws(() => jsonPatch(document, patch), (error) => error instanceof ApiError && error.code === 422);
    else assert.deepEqual(jsonPatch(document, patch), result);
    assert.equal(JSON.stringify(document), before, 'the document itself is not changed');
  });
}

interface MergePatchRow {
  readonly what: string;
  readonly target: unknown;
  readonly patch: unknown;
  readonly result: unknown;
}

for (const { what, target, patch, result } of read('merge-patch.json') as readonly MergePatchRow[]) {
  test(`RFC 7386: ${what}`, () => assert.deepEqual(mergePatch(target, patch), result));
}
