import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, DIALECTS, type Dialect } from '#api';
import { allKinds } from '#kinds';
import { replyHeader, type Reply } from '#request';
import { createDiscovery } from './discovery.ts';

type Json = { readonly [member: string]: Json };
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

class Asked {
  readonly #discovery;

  constructor(dialect: Dialect, hasOpenapiV3 = true) {
    this.#discovery = createDiscovery(createCatalog(allKinds, brandOf(dialect)), { hasOpenapiV3, describe: (message, member) => `${message} ${member ?? ''}` });
  }

  reply(path: string, headers: Readonly<Record<string, string>> = {}): (Reply & { readonly body: Uint8Array }) | undefined {
    const received = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
    return this.#discovery({ method: 'GET', info: { path }, query: new URLSearchParams(), headers: received }) as (Reply & { readonly body: Uint8Array }) | undefined;
  }

  read(path: string): Document {
    return this.#parse(path) as Document;
  }

  /** The addresses of documents by their names. */
  addresses(): readonly (readonly [name: string, address: string])[] {
    const { paths } = this.#parse('/openapi/v3') as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> };
    return Object.entries(paths).map(([name, { serverRelativeURL }]) => [name, serverRelativeURL]);
  }

  #parse(path: string): unknown {
    return JSON.parse(Buffer.from(this.reply(path)?.body ?? []).toString());
  }
}

const operationIds = (paths: Document['paths']): readonly string[] => JSON.stringify(paths).match(/"operationId":"[^"]+"/g) ?? [];

for (const dialect of DIALECTS) {
  const asked = new Asked(dialect);
  const addresses = asked.addresses();
  const documents = addresses.map(([name]) => [name, asked.read(`/openapi/v3/${name}`)] as const);

  test(`every path of version 2 is in one document of version 3, with the same operations (${dialect})`, () => {
    const whole = asked.read('/openapi/v2');
    const paths = documents.flatMap(([, document]) => Object.keys(document.paths));
    assert.deepEqual(paths.sort(), Object.keys(whole.paths).sort());
    assert.deepEqual(documents.flatMap(([, document]) => operationIds(document.paths)).sort(), [...operationIds(whole.paths)].sort());
  });

  test(`documents are named by group and version, and hold what they refer to and no more (${dialect})`, () => {
    const apps = `apis/${brandOf(dialect).group('apps')}/v1`;
    for (const name of ['api', 'api/v1', 'apis', apps, 'version']) assert.ok(addresses.some(([one]) => one === name), name);
    for (const [name, document] of documents) {
      assert.equal(document.openapi, '3.0.0');
      const references = new Set(JSON.stringify(document).match(/#\/[^"]+/g) ?? []);
      assert.deepEqual([...references].map((reference) => reference.replace('#/components/schemas/', '')).sort(), Object.keys(document.components.schemas).sort(), name);
    }
  });

  test(`an address changes with what the document says (${dialect})`, () => {
    for (const [name, address] of addresses) {
      const reply = asked.reply(`/openapi/v3/${name}`);
      const etag = (reply && replyHeader(reply, 'etag')) ?? '';
      assert.equal(address, `/openapi/v3/${name}?hash=${etag.slice(1, -1)}`);
      assert.equal(asked.reply(`/openapi/v3/${name}`, { 'if-none-match': etag })?.status, 304);
    }
    assert.equal(new Set(addresses.map(([, address]) => address)).size, addresses.length);
  });
}

test('what version 2 writes in another way: bodies, answers, references with words, and values of two types', () => {
  const { paths, components } = new Asked('kubernetes').read('/openapi/v3/apis/apps/v1');
  const { post, parameters } = paths['/apis/apps/v1/namespaces/{namespace}/deployments'] ?? {};
  const deployment = { $ref: '#/components/schemas/io.k8s.api.apps.v1.Deployment' };
  assert.deepEqual(post?.['requestBody'], { content: { '*/*': { schema: deployment } }, required: true });
  assert.deepEqual(post?.['responses']?.['201']?.['content']?.['application/json'], { schema: deployment });
  const namespace = Object.values(parameters ?? {}).find(({ name }) => (name as unknown) === 'namespace');
  assert.deepEqual(namespace?.['schema'], { type: 'string', uniqueItems: true });
  const { schemas } = components;
  const spec = schemas['io.k8s.api.apps.v1.Deployment']?.['properties']?.['spec'];
  assert.deepEqual(spec, { description: 'Deployment spec', allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec' }] });
  const { oneOf, type } = schemas['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] ?? {};
  assert.deepEqual([oneOf, type], [[{ type: 'integer' }, { type: 'string' }], undefined]);
  assert.deepEqual(schemas['io.k8s.apimachinery.pkg.api.resource.Quantity']?.['oneOf'], [{ type: 'string' }, { type: 'number' }]);
});

test('a property called $ref is a property', () => {
  const { components } = new Asked('kubernetes').read('/openapi/v3/apis/apiextensions.k8s.io/v1');
  const props = Object.entries(components.schemas).find(([name]) => name.endsWith('.JSONSchemaProps'))?.[1];
  assert.equal(props?.['properties']?.['$ref']?.['type'], 'string');
});

test('version 3 is there where it was switched on, as JSON; other names are nothing', () => {
  assert.equal(new Asked('kubernetes', false).reply('/openapi/v3'), undefined);
  const asked = new Asked('kubernetes');
  for (const path of ['/openapi/v3/apis/nothing', '/openapi/v3/__proto__', '/openapi/v3x']) assert.equal(asked.reply(path), undefined, path);
  assert.equal(asked.reply('/openapi/v3', { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' })?.status, 406);
  assert.equal(asked.reply('/openapi/v3/api/v1', { accept: 'application/json' })?.headers['content-type'], 'application/json');
});
