import { addToList, isDeepEqual, isLongerThan } from '#base';
import { checkNotNegative, checkQualifiedName, defineKind, report, type ObjectOf } from '#api';
import { goStruct, goTexts, type FieldErrors, type GoValue } from '#errors';
import { t } from '#schema';
import { validateDriverName } from '../core/volume/validate-driver.ts';
import { goPointer } from '../go-values.ts';

const MAX_NODE_ID = 256;

class VolumeNodeResources extends t.message('storage/v1.VolumeNodeResources', { count: t.maybe.int32(1) }) {}

class Driver extends t.message('storage/v1.CSINodeDriver', {
  name: t.string(1).required(),
  nodeID: t.string(2).required(),
  topologyKeys: t.strings(3).always(),
  allocatable: t.perhaps(4, VolumeNodeResources),
}) {}

class Spec extends t.message('storage/v1.CSINodeSpec', { drivers: t.many(1, Driver).mergeBy('name').required() }) {}

class Body extends t.message('storage/v1.CSINode', { spec: t.one(2, Spec).required() }) {}

export const CSINode = defineKind(Body, {
  group: 'storage',
  kind: 'CSINode',
  plural: 'csinodes',
  scope: 'Cluster',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body } },
  createOnUpdate: false,
  unconditionalUpdate: false,
  deleteShowsObject: true,
  repeatsMetadataRules: ['content', 'content'],
  columns: [
    { name: 'Drivers', type: 'integer', description: 'How many drivers are there on the node.', cell: ({ spec }) => (spec.drivers ?? []).length },
  ],
  validate({ spec }, live, at) {
    validateDrivers(spec, at.child('spec', 'drivers'));
    if (live === undefined) return;
    // kube-apiserver validates changed drivers like new ones, too.
    validateDrivers(spec, at.child('spec', 'drivers'));
    validateKept(spec, live.spec, at.child('CSINodeDriver'));
  },
});
export type CSINode = ObjectOf<typeof CSINode>;

function validateDrivers({ drivers }: Spec, at: FieldErrors): void {
  const seen = new Set<string>();
  for (const [position, driver] of (drivers ?? []).entries()) {
    const here = at.index(position);
    validateDriver(driver, here);
    if (seen.has(driver.name)) here.child('name').duplicate(driver.name);
    seen.add(driver.name);
    validateTopologyKeys(driver.topologyKeys ?? [], here);
  }
}

function validateDriver({ name, nodeID, allocatable }: Driver, at: FieldErrors): void {
  validateDriverName(name, at.child('name'));
  if (nodeID === '') at.child('nodeID').required();
  if (isLongerThan(nodeID, MAX_NODE_ID)) at.child('nodeID').invalid(nodeID, `must be ${MAX_NODE_ID} characters or less`);
  if (allocatable?.count !== undefined) report(at.child('allocatable', 'count'), allocatable.count, checkNotNegative(allocatable.count));
}

/** These faults are reported at the path of the driver, as in kube-apiserver. */
function validateTopologyKeys(keys: readonly string[], at: FieldErrors): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key === '') at.required();
    if (seen.has(key)) at.duplicate(key);
    seen.add(key);
    report(at, key, checkQualifiedName(key));
  }
}

/** Drivers may be added and removed, but an existing one is immutable, however often it is listed. Faults come in the order of the stored drivers. */
function validateKept(next: Spec, live: Spec, at: FieldErrors): void {
  const byName = new Map<string, Driver[]>();
  for (const driver of next.drivers ?? []) addToList(byName, driver.name, driver);
  for (const before of live.drivers ?? []) {
    for (const now of byName.get(before.name) ?? []) if (!isDeepEqual(now, before)) at.invalid(goDriver(now), 'field is immutable');
  }
}

function goDriver({ name, nodeID, topologyKeys, allocatable }: Driver): GoValue {
  const Allocatable = goPointer('storage.VolumeNodeResources', allocatable);
  return goStruct('storage.CSINodeDriver', { Name: name, NodeID: nodeID, TopologyKeys: goTexts(topologyKeys), Allocatable });
}
