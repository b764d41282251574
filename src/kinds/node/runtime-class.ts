import { checkDnsLabel, defineKind, report, validateMatchLabels, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import type { Toleration } from '../core/pod/toleration.ts';
import { validateResources } from '../core/pod/validate-resources.ts';
import { validateTolerations } from '../core/pod/validate-tolerations.ts';
import { goToleration } from '../go-values.ts';
import { repeatsIn } from '../repeats.ts';
import { RuntimeClassV1, RuntimeClassV1alpha1, RuntimeClassV1beta1, toV1 } from './runtime-class-body.ts';

export const RuntimeClass = defineKind(RuntimeClassV1, {
  group: 'node',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  scope: 'Cluster',
  takesAnyFinalizer: true,
  repeatsMetadataRules: ['content', 'change'],
  versions: {
    v1: { schema: RuntimeClassV1 },
    v1beta1: { schema: RuntimeClassV1beta1, deprecated: { since: '1.22', goneIn: '1.25' } },
  },
  storage: 'v1',
  retired: { v1alpha1: { schema: RuntimeClassV1alpha1, up: toV1 } },
  createOnUpdate: true,
  unconditionalUpdate: false,
  columns: [{ name: 'Handler', type: 'string', cell: ({ handler }) => handler }],
  validate(next, live, at, context) {
    report(at.child('handler'), next.handler, checkDnsLabel(next.handler));
    // The overhead of a pod is validated like limits.
    if (next.overhead?.podFixed) validateResources({ limits: next.overhead.podFixed }, at.child('overhead'), podRulesOf(context));
    if (next.scheduling) {
      const here = at.child('scheduling');
      validateMatchLabels(next.scheduling.nodeSelector, here.child('nodeSelector'));
      validateUniqueTolerations(next.scheduling.tolerations ?? [], here.child('tolerations'));
    }
    if (live && next.handler !== live.handler) at.child('handler').invalid(next.handler, 'field is immutable');
  },
});
export type RuntimeClass = ObjectOf<typeof RuntimeClass>;

/** The path contains the field name twice, as in kube-apiserver. */
function validateUniqueTolerations(tolerations: readonly Toleration[], at: FieldErrors): void {
  validateTolerations(tolerations, at.child('tolerations'));
  // `tolerationSeconds` does not distinguish tolerations.
  const repeats = repeatsIn(tolerations.map(({ key = '', operator = '', value = '', effect = '' }) => JSON.stringify([key, operator, value, effect])));
  for (const [position, one] of tolerations.entries()) if (repeats.has(position)) at.index(position).duplicate(goToleration(one));
}
