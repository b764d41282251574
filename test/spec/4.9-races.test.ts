// Many who write one object at the same moment: nothing is lost, and who insists on a version fails when it has passed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type PatchForm, type TestAnswer, type TestServer } from '#testing';
import { expect, expectFailure } from './world.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const FORMS: readonly PatchForm[] = ['json', 'merge', 'strategic', 'apply'];
const RACERS = 160;

let server: TestServer;
before(async () => {
  server = await startTestServer({ controllers: 'none' });
});
after(() => server.close());

const make = async (name: string): Promise<string> => {
  const made = expect(201, await server.request('POST', MAPS, { metadata: { name }, data: { first: '0' } }));
  return made.metadata.resourceVersion as string;
};

function patchOf(form: PatchForm, name: string, key: string, resourceVersion?: string): unknown {
  const metadata = { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  if (form === 'apply') return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [key]: '1' } };
  if (form !== 'json') return { metadata, data: { [key]: '1' } };
  const add = { op: 'add', path: `/data/${key}`, value: '1' };
  return resourceVersion === undefined ? [add] : [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }, add];
}

const send = (form: PatchForm, name: string, key: string, resourceVersion?: string): Promise<TestAnswer> =>
  server.patch(form, `${MAPS}/${name}${form === 'apply' ? `?fieldManager=${key}` : ''}`, patchOf(form, name, key, resourceVersion));

for (const form of FORMS) {
  test(`${RACERS} patches of one object at once all succeed, each computed again on what the others left: ${form}`, async () => {
    const name = `raced-${form}`;
    await make(name);
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, at) => send(form, name, `k${at}`)));
    for (const answer of answers) expect(200, answer);
    assert.equal(new Set(answers.map(({ body }) => body.metadata.resourceVersion)).size, RACERS, 'each is a write of its own');
    const { data, metadata } = expect(200, await server.request('GET', `${MAPS}/${name}`));
    assert.equal(Object.keys(data).length, RACERS + 1);
    if (form === 'apply') assert.equal(metadata.managedFields.filter(({ operation }: { operation: string }) => operation === 'Apply').length, RACERS);
  });

  test(`patches that carry the version they mean: one succeeds, the others are conflicts: ${form}`, async () => {
    const name = `meant-${form}`;
    const version = await make(name);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => send(form, name, `k${at}`, version)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers) if (answer.status !== 200) expectFailure(409, 'Conflict', answer);
    const { data } = expect(200, await server.request('GET', `${MAPS}/${name}`));
    assert.equal(Object.keys(data).length, 2);
  });
}

test('of many who apply an object that is not there one makes it, and the others join in', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => send('apply', 'joined', `k${at}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort((a, b) => a - b), [...Array.from({ length: 29 }, () => 200), 201]);
  const { data } = expect(200, await server.request('GET', `${MAPS}/joined`));
  assert.equal(Object.keys(data).length, 30);
});
