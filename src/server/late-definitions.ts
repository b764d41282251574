import type { Catalog } from '#api';
import type { Environment } from '#endpoints';
import { DEFINITION } from '#extensions';
import { isObjectName, type Registries } from '#registry';
import { isSharedStore } from './leader-election-options.ts';
import type { Settings } from './options.ts';

/** A server that hears of changes later than this does not keep its clients waiting for them. */
const PATIENCE_MS = 3_000;

export interface LateDefinitionParts {
  readonly settings: Pick<Settings, 'clock' | 'isStoreShared' | 'store'>;
  readonly catalog: Catalog;
  readonly registries: Registries;
}

/**
 * Where servers share a store: asks it for the definition of a custom resource that is not served here, and waits until it is, for a moment. Clients
 * that have seen on one server that a definition is established ask another for its objects at once.
 * @spec 4.1
 */
export function hearOfDefinitions({ settings, catalog, registries }: LateDefinitionParts): Pick<Environment, 'hearOf'> {
  const { clock, isStoreShared, store } = settings;
  if (!isStoreShared && !isSharedStore(store)) return {};
  const heardOf = async (group: string, resource: string): Promise<void> => {
    const definitions = catalog.findKind(catalog.brand.group(DEFINITION.group), DEFINITION.kind);
    const name = `${resource}.${group}`;
    if (definitions === undefined || !isObjectName(name)) return;
    const registry = registries.of(definitions);
    await registry.objects.heardOf(registry.keyOf({ namespace: '', name }));
  };
  return {
    hearOf: (group, resource) =>
      new Promise((resolve) => {
        const cancel = clock.after(PATIENCE_MS, resolve);
        const goOn = (): void => {
          cancel();
          resolve();
        };
        heardOf(group, resource).then(goOn, goOn);
      }),
  };
}
