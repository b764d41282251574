import { cloneJson } from '#base';
import { checkFinalizer, checkQualifiedName, defineKind, report, type Brand, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

class Condition extends t.message('core/v1.NamespaceCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(4),
  reason: t.string(5),
  message: t.string(6),
}) {}

class Spec extends t.message('core/v1.NamespaceSpec', { finalizers: t.strings(1) }) {}

class Status extends t.message('core/v1.NamespaceStatus', {
  phase: t.string(1).default('Active'),
  conditions: t.many(2, Condition).mergeBy('type'),
}) {}

class Body extends t.message('core/v1.Namespace', { spec: t.one(2, Spec), status: t.one(3, Status) }) {}

/** @spec 3.1 */
export const Namespace = defineKind(Body, {
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  repeatsMetadataRules: ['content', 'change'],
  nameForm: 'dns-label',
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: {
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'] },
    // Without `writes`: `spec` is not written by this subresource alone, since a create may set its finalizers.
    finalize: { verbs: ['update'], unowned: ['status'] },
  },
  deleteShowsObject: true,
  columns: [{ name: 'Status', type: 'string', description: 'The status of the namespace', cell: ({ status }) => status.phase ?? '' }],
  select: ({ status }) => ({ 'status.phase': status.phase ?? '' }),
  finalizing: {
    // The first deletion only begins it, even where no finalizers remain: whoever empties namespaces must see that it goes.
    isHeld: ({ metadata, spec }) => !metadata.deletionTimestamp || (spec.finalizers?.length ?? 0) > 0,
    mark(next) {
      next.status.phase = 'Terminating';
    },
  },
  complete(object, brand) {
    keepNameLabel(object, brand);
  },
  prepare(next, live, { brand, subresource }) {
    if (live === undefined) {
      next.status = { phase: 'Active' };
      addOwnFinalizer(next.spec, brand);
    } else {
      if (subresource !== 'finalize') next.spec = cloneJson(live.spec);
      if (subresource !== 'status') next.status = cloneJson(live.status);
    }
  },
  validate(next, live, at, { subresource }) {
    const finalizers = at.child('spec', 'finalizers');
    if (live === undefined) validateFinalizers(next.spec, () => finalizers);
    else if (subresource === 'finalize') validateFinalizers(next.spec, (position) => finalizers.index(position));
    else if (subresource === 'status') validatePhase(next, at.child('status', 'Phase'));
  },
  // Again: a generated name is not known before.
  settle(next, { brand }) {
    keepNameLabel(next, brand);
  },
});
export type Namespace = ObjectOf<typeof Namespace>;

/** Sets the label with the name of the namespace, by which selectors find it; any other value is overwritten. */
function keepNameLabel({ metadata }: Namespace, { names }: Brand): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [names.namespaceNameLabel]: metadata.name };
}

function addOwnFinalizer(spec: Spec, { names }: Brand): void {
  const finalizers = spec.finalizers ?? [];
  if (!finalizers.includes(names.namespaceFinalizer)) spec.finalizers = [...finalizers, names.namespaceFinalizer];
}

function validateFinalizers({ finalizers }: Spec, place: (position: number) => FieldErrors): void {
  for (const [position, finalizer] of (finalizers ?? []).entries()) {
    report(place(position), finalizer, checkQualifiedName(finalizer));
    report(place(position), finalizer, checkFinalizer(finalizer));
  }
}

function validatePhase({ metadata, status }: Namespace, at: FieldErrors): void {
  const wanted = metadata.deletionTimestamp ? 'Terminating' : 'Active';
  if (status.phase !== wanted) {
    at.invalid(
      status.phase ?? '',
      `may only be '${wanted}' if \`deletionTimestamp\` is ${wanted === 'Active' ? '' : 'not '}empty`,
    );
  }
}
