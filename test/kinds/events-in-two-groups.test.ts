// Events have two groups, with names of their own for the same fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer } from '#testing';

for (const [dialect, eventTtlSeconds] of DIALECTS.flatMap((dialect) => [undefined, 3_600].map((seconds) => [dialect, seconds] as const))) {
  test(`both groups of events find what they select by their own names, whoever looked before (${dialect}, a time to live of ${eventTtlSeconds})`, async (t) => {
    const server = await startTestServer({ dialect, controllers: 'none', serving: eventTtlSeconds === undefined ? {} : { eventTtlSeconds } });
    t.after(() => server.close());
    const core = { events: '/api/v1/namespaces/default/events', selector: 'involvedObject.name=p' };
    const newer = { events: `/apis/${brandOf(dialect).group('events')}/v1/namespaces/default/events`, selector: 'regarding.name=p' };
    const found = async ({ events, selector }: typeof core): Promise<readonly string[]> => {
      const { items } = (await server.request('GET', `${events}?fieldSelector=${encodeURIComponent(selector)}`)).body;
      return items.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name);
    };
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    assert.equal((await server.request('POST', core.events, { metadata: { name: 'old' }, involvedObject, reason: 'Seen' })).status, 201);
    const fresh = { metadata: { name: 'young' }, regarding: involvedObject, eventTime: '2022-01-01T00:00:00.000000Z', reportingController: 'example.com/c', reportingInstance: 'c-1', action: 'Look', reason: 'Seen', type: 'Normal' };
    assert.equal((await server.request('POST', newer.events, fresh)).status, 201);
    for (const group of [newer, core, newer, core]) assert.deepEqual(await found(group), ['old', 'young'], group.selector);
  });
}
