/**
 * Versions beside the served ones in which the common messages are registered, by the neutral form of the group: disabled or removed versions, and
 * groups of objects that servers exchange.
 */
export const REGISTERED: readonly (readonly [group: string, ...versions: readonly string[]])[] = [
  ['admission', 'v1', 'v1beta1'],
  ['admissionregistration', 'v1beta1'],
  ['apiextensions', 'v1beta1'],
  ['apiregistration', 'v1beta1'],
  ['apps', 'v1beta1', 'v1beta2'],
  ['authentication', 'v1beta1'],
  ['authorization', 'v1beta1'],
  ['certificates', 'v1beta1'],
  ['coordination', 'v1beta1'],
  ['extensions', 'v1beta1'],
  ['flowcontrol', 'v1alpha1'],
  ['imagepolicy', 'v1alpha1'],
  ['internal', 'v1alpha1'],
  ['networking', 'v1beta1'],
  ['node', 'v1alpha1'],
  ['rbac', 'v1alpha1', 'v1beta1'],
  ['scheduling', 'v1alpha1', 'v1beta1'],
  ['storage', 'v1alpha1'],
];
