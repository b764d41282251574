import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind, type KindDefinition } from 'orch/kinds';
import { t } from 'orch/schema';
import { startTestServer, TurnedClock, type TestJson } from '#testing';
import { expect } from './world.ts';

let looks = 0;
class Box extends t.message('example/v1.Box', { size: t.int32(2) }) {}
const kind = defineKind(Box, {
  group: 'example.com',
  kind: 'Box',
  plural: 'boxes',
  scope: 'Namespaced',
  versions: { v1: { schema: Box }, v2: { schema: Box } },
  storage: 'v1',
  columns: [{ name: 'Size', type: 'integer', description: 'How large it is.', cell: ({ size }) => ((looks += 1), size ?? 0) }],
});

/** How many watch in the same form. */
const ALIKE = 5;
const FORMS = ['v1', 'v2'].flatMap((served) => ['v1', 'v1beta1'].flatMap((version) => ['', 'None', 'Object'].map((include) => ({ served, version, include }))));

test('R2.5-05 R2.5-12 however many watch a table, a row is made once for each form of it, and each of them is told the row that a read shows', async () => {
  await using server = await startTestServer({ kinds: [kind as unknown as KindDefinition], clock: new TurnedClock(), controllers: 'none', aggregateRoles: false });
  const path = (served: string): string => `/apis/example.com/${served}/namespaces/default/boxes`;
  const accept = (version: string): Record<string, string> => ({ accept: `application/json;as=Table;g=meta.orch.io;v=${version}` });
  const made = expect(201, await server.request('POST', path('v1'), { metadata: { name: 'a' } }));
  const begin = async (since: string) =>
    Promise.all(
      Array.from({ length: ALIKE }, () => FORMS).flat().map(async (form) => ({
        form,
        watch: await server.watch(`${path(form.served)}?watch=1&resourceVersion=${since}&includeObject=${form.include}`, accept(form.version)),
      })),
    );
  const early = await begin(made.metadata.resourceVersion);
  let late: typeof early = [];
  for (const size of [7, 8]) {
    looks = 0;
    const changed = expect(200, await server.patch('merge', `${path('v1')}/a`, { size }));
    const told: { readonly form: (typeof FORMS)[number]; readonly isFirst: boolean; readonly event: TestJson }[] = [];
    for (const watches of [early, late]) {
      for (const { form, watch } of watches) told.push({ form, isFirst: size === 7 || watches === late, event: (await watch.next(1))[0] });
    }
    assert.equal(looks, told.length / ALIKE);
    const shown = new Map<string, TestJson>();
    for (const { form, isFirst, event } of told) {
      const question = `${path(form.served)}/a?includeObject=${form.include}`;
      const key = `${form.version} ${question}`;
      if (!shown.has(key)) shown.set(key, expect(200, await server.request('GET', question, undefined, accept(form.version))));
      const { columnDefinitions, ...rest } = shown.get(key);
      assert.deepEqual(event, { type: 'MODIFIED', object: { columnDefinitions: isFirst ? columnDefinitions : null, ...rest } });
    }
    late = late.length > 0 ? late : await begin(changed.metadata.resourceVersion);
  }
  await Promise.all([...early, ...late].map(({ watch }) => watch.stop()));
});
