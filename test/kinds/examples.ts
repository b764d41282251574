// An object of every kind in every served version, out of the recorded conversations with kube-apiserver.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { brandOf, createCatalog, type Dialect, type Resource, type ServedVersion } from '#api';
import { allKinds } from '#kinds';
import type { TestJson } from '#testing';

export interface Example {
  readonly resource: Resource;
  readonly served: ServedVersion;
  /** Of the collection, in the namespace `n`. */
  readonly path: string;
  /** As a client sends it. */
  readonly body: TestJson;
}

/** The first body that was sent to each collection. */
function recordedBodies(): ReadonlyMap<string, TestJson> {
  const files = JSON.parse(brotliDecompressSync(readFileSync('test/conformance/data.json.br')).toString('utf8')) as Record<string, string>;
  const bodies = new Map<string, TestJson>();
  for (const [name, text] of Object.entries(files)) {
    if (!name.startsWith('scenarios/types-')) continue;
    for (const { steps } of (JSON.parse(text) as TestJson).scenarios) {
      for (const { method, path, body } of steps) {
        const collection = path?.split('?')[0];
        if (method === 'POST' && body?.kind !== undefined && !bodies.has(collection)) bodies.set(collection, body);
      }
    }
  }
  return bodies;
}

const recorded = recordedBodies();
const ROLES = 'rbac';

/** Of kinds that can be created and are kept, each under a name of its own. A version that was not recorded is not among them. */
export function examplesOf(dialect: Dialect): readonly Example[] {
  const [brand, kubernetes] = [brandOf(dialect), brandOf('kubernetes')];
  return createCatalog(allKinds, brand).resources.flatMap((resource) => {
    const { kind, group, plural, versions } = resource;
    if (kind.action !== undefined || !(kind.verbs ?? ['create']).includes('create')) return [];
    return versions.flatMap((served): readonly Example[] => {
      const collectionIn = (spelled: string): string => {
        const root = spelled === '' ? `/api/${served.version}` : `/apis/${spelled}/${served.version}`;
        return `${root}${kind.scope === 'Namespaced' ? '/namespaces/${ns}' : ''}/${plural}`;
      };
      const body = recorded.get(collectionIn(kubernetes.group(kind.group)));
      if (body === undefined) return [];
      const unique = `${plural}-${served.version}`;
      // Bindings name the group of roles.
      const inDialect = JSON.stringify(body).replaceAll(kubernetes.group(ROLES), brand.group(ROLES));
      const filled = JSON.parse(inDialect.replaceAll('${ns}', 'n').replaceAll('${u}', unique)) as TestJson;
      const metadata = { ...filled.metadata, name: filled.metadata.name ?? unique };
      return [{ resource, served, path: collectionIn(group).replace('${ns}', 'n'), body: { ...filled, apiVersion: served.apiVersion, metadata } }];
    });
  });
}
