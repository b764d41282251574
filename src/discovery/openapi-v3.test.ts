import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, DIALECTS, type Dialect } from '#api';
import { allKinds } from '#kinds';
import { replyHeader, type Reply } from '#request';
import { createOpenapi } from './openapi.ts';

type Json = { readonly [member: string]: Json };
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

class Asked {
  readonly #openapi;

  constructor(dialect: Dialect, hasOpenapiV3 = true) {
    this.#openapi = createOpenapi(createCatalog(allKinds, brandOf(dialect)), { hasOpenapiV3, describe: (message, member) => `${message} ${member ?? ''}` });
  }

  async reply(path: string, headers: Readonly<Record<string, string>> = {}): Promise<(Reply & { readonly body: Uint8Array }) | undefined> {
    const received = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
    return (await this.#openapi({ info: { path }, headers: received })) as (Reply & { readonly body: Uint8Array }) | undefined;
  }

  async read(path: string): Promise<Document> {
    return (await this.#parse(path)) as Document;
  }

  /** The addresses of documents by their names. */
  async addresses(): Promise<readonly (readonly [name: string, address: string])[]> {
    const { paths } = (await this.#parse('/openapi/v3')) as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> };
    return Object.entries(paths).map(([name, { serverRelativeURL }]) => [name, serverRelativeURL]);
  }

  async #parse(path: string): Promise<unknown> {
    return JSON.parse(Buffer.from((await this.reply(path))?.body ?? []).toString());
  }
}

const operationIds = (paths: Document['paths']): readonly string[] => JSON.stringify(paths).match(/"operationId":"[^"]+"/g) ?? [];

async function documentsOf(dialect: (typeof DIALECTS)[number]) {
  const asked = new Asked(dialect);
  const addresses = await asked.addresses();
  const documents = await Promise.all(addresses.map(async ([name]) => [name, await asked.read(`/openapi/v3/${name}`)] as const));
  return { dialect, asked, addresses, documents };
}

const compared = await Promise.all(DIALECTS.map(documentsOf));

for (const { dialect, asked, addresses, documents } of compared) {
  test(`every path of version 2 is in one document of version 3, with the same operations (${dialect})`, async () => {
    const whole = await asked.read('/openapi/v2');
    const paths = documents.flatMap(([, document]) => Object.keys(document.paths));
    assert.deepEqual(paths.sort(), Object.keys(whole.paths).sort());
    assert.deepEqual(documents.flatMap(([, document]) => operationIds(document.paths)).sort(), [...operationIds(whole.paths)].sort());
  });

  test(`documents are named by group and version, and hold what they refer to and no more (${dialect})`, async () => {
    const apps = `apis/${brandOf(dialect).group('apps')}/v1`;
    for (const name of ['api', 'api/v1', 'apis', apps, 'version']) assert.ok(addresses.some(([one]) => one === name), name);
    for (const [name, document] of documents) {
      assert.equal(document.openapi, '3.0.0');
      const references = new Set(JSON.stringify(document).match(/#\/[^"]+/g) ?? []);
      assert.deepEqual([...references].map((reference) => reference.replace('#/components/schemas/', '')).sort(), Object.keys(document.components.schemas).sort(), name);
    }
  });

  test(`an address changes with what the document says (${dialect})`, async () => {
    for (const [name, address] of addresses) {
      const reply = await asked.reply(`/openapi/v3/${name}`);
      const etag = (reply && replyHeader(reply, 'etag')) ?? '';
      assert.equal(address, `/openapi/v3/${name}?hash=${etag.slice(1, -1)}`);
      assert.equal((await asked.reply(`/openapi/v3/${name}`, { 'if-none-match': etag }))?.status, 304);
    }
    assert.equal(new Set(addresses.map(([, address]) => address)).size, addresses.length);
  });
}

test('what version 2 writes in another way: bodies, answers, references with words, and values of two types', async () => {
  const { paths, components } = await new Asked('kubernetes').read('/openapi/v3/apis/apps/v1');
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

test('a property called $ref is a property', async () => {
  const { components } = await new Asked('kubernetes').read('/openapi/v3/apis/apiextensions.k8s.io/v1');
  const props = Object.entries(components.schemas).find(([name]) => name.endsWith('.JSONSchemaProps'))?.[1];
  assert.equal(props?.['properties']?.['$ref']?.['type'], 'string');
});

test('version 3 is there where it was switched on, as JSON; other names are nothing', async () => {
  assert.equal(await new Asked('kubernetes', false).reply('/openapi/v3'), undefined);
  const asked = new Asked('kubernetes');
  for (const path of ['/openapi/v3/apis/nothing', '/openapi/v3/__proto__', '/openapi/v3x']) assert.equal(await asked.reply(path), undefined, path);
  assert.equal((await asked.reply('/openapi/v3', { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' }))?.status, 406);
  assert.equal((await asked.reply('/openapi/v3/api/v1', { accept: 'application/json' }))?.headers['content-type'], 'application/json');
});
