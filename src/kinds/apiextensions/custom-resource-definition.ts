import { defineKind, nextGeneration, type ObjectOf } from '#api';
import { isDeepEqual } from '#base';
import { t } from '#schema';
import { DefinitionSpec, DefinitionStatus } from './definition-messages.ts';
import { DefinitionV1Beta1, toV1 } from './definition-v1beta1.ts';
import { dropEmptyWords } from './drop-empty-words.ts';
import { dropRules } from './drop-rules.ts';
import { normalizeDefaults } from './normalize-defaults.ts';
import { declaredSchemas } from './structure-faults.ts';
import { validateDefinition, validateDefinitionStatus } from './validate-definition.ts';
import { declaresRules } from './validate-schema.ts';

class Body extends t.message(
  'apiextensions/v1.CustomResourceDefinition',
  { spec: t.one(2, DefinitionSpec).required(), status: t.one(3, DefinitionStatus) },
  {
    // `storedVersions` has at least the storage version.
    defaults(definition) {
      const { spec, status } = definition;
      if ((status.storedVersions ?? []).length > 0) return;
      const storage = spec.versions?.find((version) => version.storage);
      if (storage !== undefined) status.storedVersions = [storage.name];
    },
  },
) {}

/** A definition of a custom resource, which the server then serves. */
export const CustomResourceDefinition = defineKind(Body, {
  group: 'apiextensions',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  repeatsMetadataRules: ['change'],
  takesAnyFinalizer: true,
  unconditionalUpdate: false,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: DefinitionV1Beta1, up: toV1 } },
  knownStorage: 'v1beta1',
  generation: ['spec'],
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['metadata'] } },
  finalizing: {
    actsAlone: true,
    // The finalizer stays until all custom resources of the kind are deleted.
    isHeld: ({ metadata }) => !metadata.deletionTimestamp,
    mark(next, brand) {
      const { metadata, status } = next;
      const finalizer = `customresourcecleanup.${brand.group('apiextensions')}`;
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
      const others = (status.conditions ?? []).filter(({ type }) => type !== 'Terminating');
      status.conditions = [
        ...others,
        {
          type: 'Terminating',
          status: 'True',
          ...(metadata.deletionTimestamp ? { lastTransitionTime: metadata.deletionTimestamp } : {}),
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
        },
      ];
    },
  },
  prepare(next, live, { subresource }) {
    if (subresource !== '') return;
    // A change that is dropped below raises the generation all the same.
    if (live !== undefined && !isDeepEqual(next.spec, live.spec)) next.metadata.generation = nextGeneration(live.metadata.generation);
    dropEmptyWords(next.spec.versions ?? []);
    // What another server stored with rules keeps them.
    const keepsRules = live !== undefined && declaredSchemas(live.spec).some(declaresRules);
    for (const schema of declaredSchemas(next.spec)) {
      if (!keepsRules) dropRules(schema);
      normalizeDefaults(schema);
    }
    const stored = [...(live?.status.storedVersions ?? [])];
    // Only the first storage version is recorded; several are refused by validation.
    const first = next.spec.versions?.find(({ storage }) => storage);
    if (first !== undefined && !stored.includes(first.name)) stored.push(first.name);
    next.status.storedVersions = stored.length === 0 ? null : stored;
  },
  validate(next, live, at, { brand, subresource }) {
    if (subresource === '') validateDefinition(next, live, brand, at);
    else validateDefinitionStatus(next, at);
  },
});
export type CustomResourceDefinition = ObjectOf<typeof CustomResourceDefinition>;
