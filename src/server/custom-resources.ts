import type { Catalog, ObjectAccess, OpenCatalog } from '#api';
import { jsonText } from '#base';
import { CustomResources } from '#extensions';
import type { Registries } from '#registry';
import { isSharedStore } from './leader-election-options.ts';
import type { Loopback } from './loopback.ts';
import type { Settings } from './options.ts';
import { isEtcd } from './store/etcd-location.ts';

export interface CustomResourceParts {
  readonly settings: Settings;
  readonly catalog: OpenCatalog;
  readonly registries: Registries;
  readonly objects: ObjectAccess;
  readonly loopback: Loopback;
  readonly callConversion: ConstructorParameters<typeof CustomResources>[0]['callConversion'];
}

/** Serves the resources that CustomResourceDefinitions declare, as long as the server runs. */
export function buildCustomResources({ settings, catalog, registries, objects, loopback, callConversion }: CustomResourceParts): CustomResources {
  const { clock, log, store } = settings;
  const others = { hasOthers: isEtcd(store), isShared: settings.isStoreShared || isSharedStore(store) };
  return new CustomResources({ catalog, registries, objects, clock, log, callConversion, ...others, write: writeDefinition(catalog, loopback) });
}

type WriteDefinition = ConstructorParameters<typeof CustomResources>[0]['write'];

/** The server writes definitions as a client does, so that managed fields name the writer. */
const writeDefinition =
  ({ brand }: Catalog, loopback: Loopback): WriteDefinition =>
  async (definition) => {
    const path = `/apis/${brand.group('apiextensions')}/v1/customresourcedefinitions/${definition.metadata.name ?? ''}/status`;
    const answer = await loopback({ method: 'PUT', path, headers: { 'content-type': 'application/json' }, body: jsonText(definition) });
    if (answer.status === 200) return true;
    if (answer.status === 404 || answer.status === 409) return false;
    throw new Error(`the definition could not be written: the server answered ${answer.status}`);
  };
