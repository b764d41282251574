// Every line of an audit log against the schema of audit.k8s.io/v1 Event: names, types, enumerations and what must be there.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TEST_TOKENS } from '#testing';

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const filled: Check = (value) => typeof value === 'string' && value !== '';
const texts: Check = (value) => Array.isArray(value) && value.every(text);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
const time: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value);
const oneOf = (...values: readonly string[]): Check => (value) => values.includes(value as string);
/** What was sent: an object, or the list of operations of a JSON Patch. */
const aboutObjects: Check = (value) => typeof value === 'object' && value !== null;
const shape = (required: Shape, optional: Shape = {}): Check => (value) =>
  isObject(value) && Object.entries(required).every(([name, check]) => check(value[name])) && Object.entries(value).every(([name, one]) => (required[name] ?? optional[name])?.(one) ?? false);
const mapOf = (check: Check): Check => (value) => isObject(value) && Object.values(value).every(check);

const USER = shape({}, { username: text, uid: text, groups: texts, extra: mapOf(texts) });
const REFERENCE = shape({}, { resource: text, namespace: text, name: text, uid: text, apiGroup: text, apiVersion: text, resourceVersion: text, subresource: text });
const STATUS = shape({ metadata: isObject }, { status: text, message: text, reason: text, details: isObject, code: Number.isInteger });
const eventOf = (apiVersion: string): Check =>
  shape(
    {
      kind: oneOf('Event'),
      apiVersion: oneOf(apiVersion),
      level: oneOf('Metadata', 'Request', 'RequestResponse'),
      auditID: filled,
      stage: oneOf('RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'),
      requestURI: filled,
      verb: filled,
      user: USER,
      requestReceivedTimestamp: time,
      stageTimestamp: time,
    },
    { impersonatedUser: USER, sourceIPs: texts, userAgent: text, objectRef: REFERENCE, responseStatus: STATUS, requestObject: aboutObjects, responseObject: isObject, annotations: mapOf(text) },
  );

const folder = mkdtempSync(path.join(tmpdir(), 'orch-audit-schema-'));
after(() => rmSync(folder, { recursive: true }));

for (const dialect of DIALECTS) {
  for (const level of ['Metadata', 'Request', 'RequestResponse']) {
    test(`every event is one of the schema, whatever was asked (${dialect}, ${level})`, async () => {
      const apiVersion = `${brandOf(dialect).group('audit')}/v1`;
      const file = path.join(folder, `${dialect}-${level}.log`);
      const policy = JSON.stringify({ apiVersion, kind: 'Policy', rules: [{ level }] });
      const log = { path: file };
      const server = await startTestServer({ dialect, controllers: 'none', audit: { policy, log } });
      const maps = '/api/v1/namespaces/default/configmaps';
      const map = { metadata: { name: 'm' } };
      const alice = { authorization: `Bearer ${TEST_TOKENS.alice}` };
      await server.request('POST', maps, map);
      await server.request('POST', maps, map);
      await server.patch('apply', `${maps}/m?fieldManager=t`, { apiVersion: 'v1', kind: 'ConfigMap', ...map });
      await server.patch('json', `${maps}/m`, [{ op: 'add', path: '/data', value: { a: 'b' } }]);
      await server.request('GET', maps, undefined, alice);
      await server.request('GET', maps, undefined, { 'impersonate-user': 'jane', 'impersonate-group': 'dev', 'impersonate-extra-a': 'b' });
      await server.request('GET', maps, undefined, { authorization: 'Bearer wrong' });
      await server.request('GET', '/apis/policy/v1beta1/poddisruptionbudgets');
      await server.request('GET', '/livez?verbose');
      await server.request('POST', maps, 'no json');
      const watch = await server.watch(`${maps}?watch=1`);
      await watch.stop();
      await server.request('DELETE', maps);
      await server.close();
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      assert.ok(lines.length > 15);
      const isEvent = eventOf(apiVersion);
      assert.deepEqual(lines.filter((line) => !isEvent(JSON.parse(line))), []);
    });
  }
}
