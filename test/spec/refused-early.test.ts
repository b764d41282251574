import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, TEST_TOKENS, type TestAnswer, type TestServer } from '#testing';

/** What is wrong with a request is told in the order in which a server looks at its parts, in words that clients know. */
const IN_DEFAULT = '/api/v1/namespaces/default';
const BOB = { authorization: `Bearer ${TEST_TOKENS.bob}` };

let server: TestServer;
before(async () => {
  server = await startTestServer();
  await server.request('POST', `${IN_DEFAULT}/configmaps`, { metadata: { name: 'a' } });
  await server.request('POST', `/apis/apps/v1/namespaces/default/deployments`, {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
  });
});
after(() => server.close());

const told = ({ status, body }: TestAnswer): readonly unknown[] => [status, body.message];

test('a new object in an unknown format is refused before its options, a changed one after them', async () => {
  const send = (method: string, path: string): Promise<TestAnswer> =>
    server.request(method, `${IN_DEFAULT}/configmaps${path}?dryRun=x`, '{}', { 'content-type': 'text/plain' });
  assert.equal((await send('POST', '')).status, 415);
  assert.equal((await send('PUT', '/a')).status, 422);
});

describe('patches', () => {
  test('what is sent is looked at before what is accepted', async () => {
    const send = (contentType: string, accept: string): Promise<TestAnswer> =>
      server.request('PATCH', `${IN_DEFAULT}/configmaps/a`, '{}', { 'content-type': contentType, accept });
    assert.equal((await send('text/plain', 'text/html')).status, 415);
    assert.equal((await send('application/merge-patch+json', 'text/html')).status, 406);
    // One of several leads there, and is then not understood.
    assert.equal((await send('text/plain, application/merge-patch+json', 'text/html')).status, 406);
    assert.equal((await send('text/plain, application/merge-patch+json', '*/*')).status, 415);
  });

  test('without a body there is no format that could be unknown, only none that is accepted', async () => {
    const send = (headers: Readonly<Record<string, string>>): Promise<TestAnswer> => server.request('PATCH', `${IN_DEFAULT}/configmaps/a`, undefined, headers);
    for (const type of ['', 'text/plain', 'application/json']) assert.equal((await send({ 'content-type': type })).status, 406, type);
    assert.equal((await send({ 'content-type': 'text/plain', 'content-length': '0' })).status, 406);
    assert.equal((await send({ 'content-type': 'application/merge-patch+json' })).status, 400);
  });

  test('what is not there is not found, whatever is sent to change it', async () => {
    for (const form of ['json', 'merge', 'strategic'] as const) {
      assert.equal((await server.patch(form, `${IN_DEFAULT}/configmaps/none`, '{"a":')).status, 404, form);
      assert.equal((await server.patch(form, `${IN_DEFAULT}/configmaps/a`, '{"a":')).status, 400, form);
    }
  });

  test('an order of a list that there is not', async () => {
    assert.deepEqual(told(await server.patch('strategic', `${IN_DEFAULT}/configmaps/a`, { '$setElementOrder/x': [] })), [
      500,
      'unable to find api field in struct ConfigMap for the json field "x"',
    ]);
    assert.equal((await server.patch('strategic', `${IN_DEFAULT}/configmaps/a`, { metadata: { '$setElementOrder/finalizers': [] } })).status, 200);
  });

  test('an apply is an object', async () => {
    const { status, body } = await server.patch('apply', `${IN_DEFAULT}/configmaps/a?fieldManager=m`, '[]');
    assert.deepEqual([status, body.message], [400, 'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}']);
  });

  test('causes stand in the order of the options', async () => {
    const { body } = await server.patch('merge', `${IN_DEFAULT}/configmaps/a?dryRun=x&fieldManager=a%0Ab%C2%ADc&force=true&fieldValidation=x`, {});
    const causes: readonly { field: string; message: string }[] = body.details.causes;
    assert.deepEqual(causes.map(({ field }) => field), ['force', 'fieldManager', 'fieldManager', 'dryRun', 'fieldValidation']);
    assert.match(causes[1]?.message ?? '', /: invalid character U\+000A \(at position 1\)$/);
    assert.match(causes[2]?.message ?? '', /: invalid character U\+00AD \(at position 3\)$/);
    const apply = await server.patch('apply', `${IN_DEFAULT}/configmaps/a?fieldValidation=x`, {});
    assert.deepEqual(apply.body.details.causes.map(({ field }: { field: string }) => field), ['fieldManager', 'fieldValidation']);
  });
});

test('a deprecated version warns of itself where the media types of a request lead to it', async () => {
  const path = '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets/none';
  const warns = async (method: string, headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const answer = await server.request(method, path, method === 'PATCH' ? '{}' : undefined, headers);
    return [answer.status, answer.headers['warning'] !== undefined];
  };
  assert.deepEqual(await warns('GET', {}), [404, true]);
  assert.deepEqual(await warns('GET', { accept: 'application/json;as=Other' }), [406, true]);
  assert.deepEqual(await warns('GET', { accept: 'text/html' }), [406, false]);
  assert.deepEqual(await warns('PATCH', { 'content-type': 'text/plain' }), [415, false]);
  assert.deepEqual(await warns('PATCH', { 'content-type': 'application/merge-patch+json', accept: 'text/html' }), [406, false]);
  assert.deepEqual(await warns('PATCH', { 'content-type': 'text/plain, application/merge-patch+json' }), [415, true]);
});

test('options of a delete that cannot be read are told bare', async () => {
  const send = (body: unknown): Promise<TestAnswer> => server.request('DELETE', `${IN_DEFAULT}/configmaps/a`, body);
  assert.deepEqual(told(await send({ gracePeriodSeconds: 'x' })), [500, 'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64']);
  assert.match((await send({ kind: 'Other' })).body.message, /^no kind "Other" is registered for version "meta\.orch\.io\/v1" /);
  assert.match((await send('{')).body.message, /^couldn't get version\/kind; json parse error: /);
});

test('an export is refused of objects and of their scale', async () => {
  for (const path of [`${IN_DEFAULT}/configmaps/a`, '/apis/apps/v1/namespaces/default/deployments/d/scale']) {
    assert.equal((await server.request('GET', `${path}?export=1`)).status, 400, path);
    assert.equal((await server.request('GET', `${path}?export=0`)).status, 200, path);
  }
});

test('what is wrong with a time allowed', async () => {
  const about = async (timeout: string): Promise<string> => (await server.request('GET', `${IN_DEFAULT}/configmaps?timeout=${timeout}`)).body.message.split(' - ')[1];
  assert.equal(await about('5'), 'time: missing unit in duration "5"');
  assert.equal(await about('1m5'), 'time: missing unit in duration "1m5"');
  assert.equal(await about('5y'), 'time: unknown unit "y" in duration "5y"');
  for (const text of ['x', '.s', '-', '1s.']) assert.equal(await about(text), `time: invalid duration "${text}"`);
});

describe('what is forbidden', () => {
  test('a path that leads to no resource', async () => {
    const { body } = await server.request('GET', `${IN_DEFAULT}//pods/p`, undefined, BOB);
    assert.match(body.message, /^forbidden: User "bob" cannot get resource "\/p" /);
    assert.deepEqual(body.details, { name: 'pods' });
  });

  test('the caller writes no markup into the answer', async () => {
    const page = await server.request('GET', '/a%3Cb%3E%26', undefined, BOB);
    assert.equal(page.body.message, 'forbidden: User "bob" cannot get path "/a&lt;b&gt;&amp;"');
    const plain = await server.request('GET', `${IN_DEFAULT}/pods?a=%3Cb&c=d`, undefined, { 'impersonate-group': '<i>' });
    assert.equal(plain.status, 500);
    assert.match(plain.text, /^Internal Server Error: "\/api\/v1\/namespaces\/default\/pods\?a=%3Cb&amp;c=d": requested \[\{Group {2}&lt;i&gt; /);
  });

  test('names are quoted with what cannot be printed escaped', async () => {
    const { body } = await server.request('GET', `${IN_DEFAULT}/pods/%00`);
    assert.equal(body.message, 'pods "\\x00" not found');
  });
});

test('pages of allowed origins read refusals, too, however early a request is refused', async () => {
  await using open = await startTestServer({ controllers: 'none', serving: { corsOrigins: ['^https://page\\.test$'] } });
  const rows = [
    ['', { authorization: 'Bearer nobody' }, 401],
    ['?timeout=soon', {}, 400],
    ['', { 'impersonate-group': 'g' }, 500],
    ['', BOB, 403],
    ['/nothing', {}, 404],
  ] as const;
  for (const [query, headers, status] of rows) {
    const shown = async (origin: string): Promise<readonly unknown[]> => {
      const answer = await open.request('GET', `${IN_DEFAULT}/configmaps${query}`, undefined, { ...headers, origin });
      return [answer.status, answer.headers['access-control-allow-origin']];
    };
    assert.deepEqual(await shown('https://page.test'), [status, 'https://page.test']);
    assert.deepEqual(await shown('https://other.test'), [status, undefined]);
  }
});
