// Kinds that have no rules for metadata hear of faults there only when there are no others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer } from '#testing';

const metadata = { name: 'a', labels: { a: '-' } };
const cases: readonly (readonly [path: string, good: object, bad: object, fault: string])[] = [
  ['/api/v1/namespaces/default/events', { involvedObject: { namespace: 'default' } }, { involvedObject: { namespace: 'other' } }, 'involvedObject.namespace'],
  ['policy/v1/namespaces/default/poddisruptionbudgets', { spec: { minAvailable: 1 } }, { spec: { minAvailable: -1 } }, 'spec.minAvailable'],
];

for (const dialect of DIALECTS) {
  const brand = brandOf(dialect);
  const rooted = (path: string): string => (path.startsWith('/') ? path : `/apis/${path.replace(/^[a-z]+/, (group) => brand.group(group))}`);

  test(`faults of metadata are told when the rest is right, where a kind does not look at it (${dialect})`, async (t) => {
    const server = await startTestServer({ dialect, controllers: 'none' });
    t.after(() => server.close());
    const fieldsOf = async (path: string, body: object): Promise<readonly string[]> => {
      const { body: { details } } = await server.request('POST', rooted(path), body);
      return details.causes.map(({ field }: { readonly field: string }) => field);
    };
    for (const [path, good, bad, fault] of cases) {
      assert.deepEqual(await fieldsOf(path, { ...good, metadata }), ['metadata.labels'], path);
      assert.deepEqual(await fieldsOf(path, { ...bad, metadata }), [fault], path);
    }
    // The newer form of events has such rules.
    const young = { regarding: { namespace: 'other' }, metadata, reportingController: 'example.com/c', reportingInstance: 'c-1', action: 'Look', reason: 'Seen', type: 'Normal' };
    assert.deepEqual(await fieldsOf('events/v1/namespaces/default/events', young), ['involvedObject.namespace', 'metadata.labels', 'eventTime']);
  });
}
