import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceName, type ApiResource, type Client, type Discovered } from '#client';
import { forbidden } from '#errors';
import { deleteContent } from './delete-content.ts';

const resourceOf = (group: string, plural: string): ApiResource => ({
  group,
  version: 'v1',
  plural,
  kind: plural,
  isNamespaced: true,
  verbs: ['delete', 'deletecollection', 'list'],
});
const PODS = resourceOf('', 'pods');
const CONFIG_MAPS = resourceOf('', 'configmaps');
const POLICIES = resourceOf('networking.k8s.io', 'networkpolicies');

/** A client of a namespace with one object of each kind; `refused`: what may not be deleted. */
function openNamespace(refused: readonly ApiResource[]) {
  const there = new Set([PODS, CONFIG_MAPS, POLICIES]);
  const client = {
    at: (resource: ApiResource) => ({
      async deleteCollection(): Promise<void> {
        if (refused.includes(resource)) throw forbidden({ group: resource.group, resource: resource.plural }, 'one', 'a webhook wants it to stay');
        there.delete(resource);
      },
    }),
    metadataAt: (resource: ApiResource) => ({
      list: () => Promise.resolve({ items: there.has(resource) ? [{ metadata: { name: 'one' } }] : [], resourceVersion: '1' }),
    }),
  } as unknown as Client;
  return { client, there };
}

const discovered = (resources: readonly ApiResource[], ...failed: readonly string[]): Discovered => ({
  resources,
  serves: () => true,
  failures: failed.map((apiVersion) => ({ apiVersion, cause: new Error('no answer') })),
});

for (const [name, refused, found, isEmptied] of [
  ['pods that are refused to go', [PODS], discovered([POLICIES, CONFIG_MAPS, PODS]), false],
  ['pods that nobody can ask for', [], discovered([POLICIES], 'v1'), false],
  ['anything else that is refused to go', [CONFIG_MAPS], discovered([POLICIES, CONFIG_MAPS, PODS], 'apps/v1'), true],
  ['a server that has no pods', [], discovered([POLICIES, CONFIG_MAPS]), true],
] as const) {
  test(`${name}: network policies ${isEmptied ? 'go all the same' : 'stay and guard them'}; what was refused is told`, async () => {
    const { client, there } = openNamespace(refused);
    const { failures } = await deleteContent(client, 'a', found, () => 0, new AbortController().signal);
    assert.equal(!there.has(POLICIES), isEmptied);
    assert.deepEqual(failures.map(({ resource }) => resource), refused.map(resourceName));
    for (const { why } of failures) assert.match(why, / "one" is forbidden: a webhook wants it to stay$/);
  });
}
