// The columns of every kind in every version, against the recorded ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer } from '#testing';
import { readRecorded } from './recorded.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

for (const dialect of DIALECTS) {
  test(`R2.5-12 tables of every kind have the recorded columns (${dialect})`, async () => {
    const recorded = Object.entries(await readRecorded<Record<string, readonly Column[]>>('tables', dialect));
    assert.ok(recorded.length >= 60);
    const asTable = { accept: `application/json;as=Table;v=v1;g=${brandOf(dialect).group('meta')}` };
    const server = await startTestServer({ dialect, controllers: 'none' });
    try {
      for (const [path, columns] of recorded) {
        const { status, body } = await server.request('GET', path, undefined, asTable);
        assert.equal(status, 200, path);
        assert.deepEqual(body.columnDefinitions.map(({ name, type, format, priority }: Column) => ({ name, type, format, priority })), columns, path);
      }
    } finally {
      await server.close();
    }
  });
}
