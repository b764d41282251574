import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { ApiError } from '#errors';
import type { ReviewVersion } from '#kinds';
import { createStructural } from '#schema';
import { otherVersions, webhookForms, type CallConversion, type WebhookConversion } from './conversion-webhook.ts';

interface Asked {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly ApiObject[] };
}

const thing = (apiVersion: string, name = 'a'): ApiObject => ({ apiVersion, kind: 'Foo', metadata: { name, uid: 'u', creationTimestamp: null, labels: { l: '1' } } }) as unknown as ApiObject;

/** Answers as the webhook is asked, with whatever `change` makes of the answer. */
function answering(change: (answer: { [member: string]: unknown }, asked: Asked) => unknown = (answer) => answer, seen: Asked[] = []): CallConversion {
  return async (_client, document) => {
    const asked = document as Asked;
    seen.push(asked);
    const { uid, desiredAPIVersion: apiVersion, objects } = asked.request;
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion, spec: { was: object.apiVersion } }));
    return change({ apiVersion: asked.apiVersion, kind: asked.kind, response: { uid, convertedObjects, result: { status: 'Success' } } }, asked);
  };
}

const anything = createStructural({ type: 'object' }, { keepsUnknown: true });
const SCHEMAS = new Map(['e.com/v1', 'e.com/v2'].map((apiVersion) => [apiVersion, () => anything]));

const conversionBy = (call: CallConversion): WebhookConversion => ({ client: { url: 'https://x' }, reviewVersion: 'v1', reviewGroup: 'g', call });
const forms = (call: CallConversion): ReturnType<typeof webhookForms> => webhookForms(conversionBy(call), SCHEMAS, 'e.com/v1', 'e.com/v2');

test('all objects of another version are converted with one question', async () => {
  const seen: Asked[] = [];
  const own = thing('e.com/v1', 'own');
  const loaded = await forms(answering(undefined, seen)).load([thing('e.com/v2', 'a'), own, thing('e.com/v2', 'b')]);
  assert.equal(loaded[1], own, 'what needs no conversion is the same object');
  assert.deepEqual(loaded.map(({ apiVersion, metadata }) => `${apiVersion} ${metadata.name ?? ''}`), ['e.com/v1 a', 'e.com/v1 own', 'e.com/v1 b']);
  assert.equal(seen.length, 1);
  assert.deepEqual([seen[0]?.kind, seen[0]?.apiVersion, seen[0]?.request.desiredAPIVersion], ['ConversionReview', 'g/v1', 'e.com/v1']);
  assert.equal((await forms(answering()).save(own)).apiVersion, 'e.com/v2');
  const asked = ['e.com/v1', 'e.com/v2'].map((apiVersion) => forms(answering()).isAskedAnew?.(thing(apiVersion)));
  assert.deepEqual(asked, [false, true], 'what it says of an object may be another thing the next time');
});

test('what is in the version that is stored is stored as it is, and nobody is asked', async () => {
  const own = thing('e.com/v2');
  const stored = webhookForms(conversionBy(() => Promise.reject(new Error('asked'))), SCHEMAS, 'e.com/v2', 'e.com/v2');
  assert.equal(await stored.save(own), own);
  assert.deepEqual(await stored.load([own]), [own]);
});

test('a conversion may change labels and annotations, and no other metadata', async () => {
  const call = answering((answer, { request }) => {
    const [object] = request.objects;
    const converted = { ...object, apiVersion: request.desiredAPIVersion, metadata: { ...object?.metadata, labels: { l: '2' }, annotations: { a: '1' }, finalizers: ['x'], managedFields: [] } };
    return { ...answer, response: { uid: request.uid, convertedObjects: [converted], result: { status: 'Success' } } };
  });
  const [loaded] = await forms(call).load([thing('e.com/v2')]);
  assert.deepEqual(loaded?.metadata, { name: 'a', uid: 'u', creationTimestamp: null, labels: { l: '2' }, annotations: { a: '1' } });
});

test('a part of an object without metadata is converted, and fails only where it comes back without them', async () => {
  const part = { apiVersion: 'e.com/v2', kind: 'Foo', spec: { a: 1 } } as unknown as ApiObject;
  const convertedBy = (call: CallConversion): Promise<ApiObject> | undefined => otherVersions(conversionBy(call), new Map()).convert?.(part, 'e.com/v1');
  const labelled = await convertedBy(changed({ metadata: { labels: { l: '1' }, finalizers: ['x'] } }));
  assert.deepEqual(labelled, { apiVersion: 'e.com/v1', kind: 'Foo', metadata: { labels: { l: '1' } }, spec: { was: 'e.com/v2' } });
  const why = 'conversion webhook for e.com/v2, Kind=Foo returned invalid metadata: missing metadata in converted object';
  await assert.rejects(async () => convertedBy(answering()), { message: why });
});

test('objects together too large for one question are asked for in several, in their order', async () => {
  const seen: Asked[] = [];
  const large = (name: string, characters: number): ApiObject => ({ ...thing('e.com/v2', name), text: 'x'.repeat(characters) }) as ApiObject;
  const objects = [large('a', 600_000), large('b', 600_000), large('c', 10), large('d', 2_000_000), large('e', 10)];
  const loaded = await forms(answering(undefined, seen)).load(objects);
  assert.deepEqual(loaded.map(({ metadata }) => metadata.name), ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(seen.map(({ request }) => request.objects.map(({ metadata }) => metadata.name).join('')), ['a', 'bc', 'd', 'e']);
});

test('what is stored in a version that is declared no more is asked of nobody', async () => {
  const seen: Asked[] = [];
  const objects = [thing('e.com/v2'), thing('e.com/v0', 'b')];
  await assert.rejects(async () => forms(answering(undefined, seen)).load(objects), { message: 'request to convert CR from an invalid group/version: e.com/v0' });
  assert.deepEqual(seen, []);
});

test('labels and annotations that a conversion leaves empty are none', async () => {
  const call = answering((answer, { request }) => {
    const converted = request.objects.map((object) => ({ ...object, apiVersion: request.desiredAPIVersion, metadata: { ...object.metadata, labels: {}, annotations: null } }));
    return { ...answer, response: { uid: request.uid, convertedObjects: converted, result: { status: 'Success' } } };
  });
  const [loaded] = await forms(call).load([thing('e.com/v2')]);
  assert.deepEqual(loaded?.metadata, { name: 'a', uid: 'u', creationTimestamp: null });
});

test('labels that were invalid before may stay as they are', async () => {
  const stored = thing('e.com/v2');
  stored.metadata.labels = { l: 'bad value!' };
  const [loaded] = await forms(answering()).load([stored]);
  assert.deepEqual(loaded?.metadata.labels, stored.metadata.labels);
});

test('an answer of the first version needs no name and no uid', async () => {
  const call = answering((answer) => ({ response: { ...(answer['response'] as object), uid: undefined } }));
  const ask = (reviewVersion: ReviewVersion): Promise<readonly ApiObject[]> =>
    Promise.resolve(webhookForms({ client: { url: 'https://x' }, reviewVersion, reviewGroup: 'g', call }, SCHEMAS, 'e.com/v1', 'e.com/v2').load([thing('e.com/v2')]));
  assert.equal((await ask('v1beta1'))[0]?.apiVersion, 'e.com/v1');
  const misnamed = answering((answer) => ({ ...answer, kind: 'Pod' }));
  const first = webhookForms({ client: { url: 'https://x' }, reviewVersion: 'v1beta1', reviewGroup: 'g', call: misnamed }, SCHEMAS, 'e.com/v1', 'e.com/v2');
  await assert.rejects(async () => first.load([thing('e.com/v2')]), /expected webhook response of g\/v1beta1, Kind=ConversionReview, got /);
  await assert.rejects(ask('v1'), /conversion webhook for e.com\/v2, Kind=Foo failed: expected webhook response of g\/v1, Kind=ConversionReview, got \/, Kind=/);
});

type Response = { uid: unknown; convertedObjects: unknown; result: unknown };
const spoiled = (change: Partial<Response>): CallConversion => answering((answer) => ({ ...answer, response: { ...(answer['response'] as Response), ...change } }));
const changed = (change: object): CallConversion =>
  answering((answer) => {
    const response = answer['response'] as Response;
    return { ...answer, response: { ...response, convertedObjects: (response.convertedObjects as object[]).map((one) => ({ ...one, ...change })) } };
  });

const FAILURES: readonly (readonly [title: string, call: CallConversion, why: RegExp])[] = [
  ['no answer', () => Promise.reject(new Error('connection refused')), /^conversion webhook for e\.com\/v2, Kind=Foo failed: connection refused$/],
  ['labels that are none', changed({ metadata: { name: 'a', uid: 'u', labels: { l: 1 } } }), /metadata\.labels\[l\] must be a string, but is int64/],
  ['labels that none may have', changed({ metadata: { name: 'a', uid: 'u', labels: { l: 'bad value!' } } }), /returned invalid metadata: metadata\.labels: Invalid value: "bad value!"/],
  ['labels that are no object', changed({ metadata: { name: 'a', uid: 'u', labels: 'l' } }), /returned invalid metadata: invalid metadata\.labels of type string in converted object$/],
  ['another document', answering(() => ({ kind: 'Pod' })), /expected webhook response of g\/v1, Kind=ConversionReview, got /],
  ['nothing', answering(() => null), /expected webhook response of g\/v1, Kind=ConversionReview, got /],
  ['no response', answering(({ apiVersion, kind }) => ({ apiVersion, kind })), /failed: no response provided$/],
  ['a failure without a message', spoiled({ result: { status: 'Failed' } }), /failed: response\.result\.status was 'Failed', not 'Success'$/],
  ['another version of the conversation', answering((answer) => ({ ...answer, apiVersion: 'g/v1beta1' })), /expected webhook response of g\/v1, Kind=ConversionReview, got g\/v1beta1, Kind=ConversionReview/],
  ['another uid', spoiled({ uid: 'x' }), /failed: expected response\.uid="[-0-9a-f]{36}", got "x"$/],
  ['no uid', spoiled({ uid: undefined }), /failed: expected response\.uid="[-0-9a-f]{36}", got ""$/],
  ['no result', spoiled({ result: undefined }), /failed: response\.result\.status was '', not 'Success'$/],
  ['a result of null', spoiled({ result: null }), /failed: response\.result\.status was '', not 'Success'$/],
  ['a result without a status', spoiled({ result: { message: '' } }), /failed: response\.result\.status was '', not 'Success'$/],
  ['a long refusal', spoiled({ result: { status: 'Failure', message: 'no'.repeat(100_000) } }), /failed: (?:no){512}$/],
  ['no objects at all', spoiled({ convertedObjects: undefined }), /returned 0 objects, expected 1$/],
  ['objects that are no list', spoiled({ convertedObjects: { length: 1 } }), /failed: convertedObjects is no list$/],
  ['a refusal', spoiled({ result: { status: 'Failure', message: 'no way' } }), /no way/],
  ['too few objects', spoiled({ convertedObjects: [] }), /returned 0 objects, expected 1$/],
  ['an object that is none', spoiled({ convertedObjects: ['a'] }), /^conversion webhook for e\.com\/v2, Kind=Foo returned invalid object at index 0: it is no object$/],
  ['another version', changed({ apiVersion: 'e.com/v9' }), /returned invalid object at index 0: invalid groupVersion \(expected e\.com\/v1, received e\.com\/v9\)$/],
  ['no version', changed({ apiVersion: undefined }), /invalid groupVersion \(expected e\.com\/v1, received \)$/],
  ['another kind', changed({ kind: 'Bar' }), /returned invalid object at index 0: invalid kind \(expected Foo, received Bar\)$/],
  ['no kind', changed({ kind: undefined }), /invalid kind \(expected Foo, received \)$/],
  ['no metadata', changed({ metadata: null }), /returned invalid metadata: /],
  ['metadata left out', changed({ metadata: undefined }), /returned invalid object: must have the same name: a != $/],
  ['another name', changed({ metadata: { name: 'b', uid: 'u' } }), /must have the same name: a != b$/],
  ['another object', changed({ metadata: { name: 'a', uid: 'v' } }), /must have the same UID: u != v$/],
];

for (const [title, call, why] of FAILURES) {
  test(`a webhook that answers with ${title} fails the request`, async () => {
    await assert.rejects(
      async () => forms(call).load([thing('e.com/v2')]),
      (error) => error instanceof ApiError && error.reason === '' && error.toStatus().code === 500 && why.test(error.message),
    );
  });
}
