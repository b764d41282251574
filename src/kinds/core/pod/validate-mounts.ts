import type { FieldErrors } from '#errors';
import type { Volume } from '../volume/volume.ts';
import type { Container } from './container.ts';
import type { VolumeDevice, VolumeMount } from './mounts.ts';
import { validateLocalPath } from './path-checks.ts';
import { allowOneOf, requireText } from '../../value-checks.ts';

/** The valid volumes of the pod, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

export function validateMounts(container: Container, volumes: Volumes, at: FieldErrors): void {
  const paths = new Set<string>();
  const devices = placesOf(container.volumeDevices ?? [], ({ devicePath }) => devicePath);
  for (const [position, mount] of (container.volumeMounts ?? []).entries()) {
    const here = at.index(position);
    requireText(mount.name, here.child('name'));
    if (!volumes.has(mount.name)) here.child('name').notFound(mount.name);
    requireText(mount.mountPath, here.child('mountPath'));
    if (paths.has(mount.mountPath)) here.child('mountPath').invalid(mount.mountPath, 'must be unique');
    paths.add(mount.mountPath);
    validateAgainstDevices(mount, devices, here);
    // kube-apiserver reports these at the path of the list.
    validateSubPath(mount, here, at);
    validatePropagation(mount, container, at.child('mountPropagation'));
  }
}

/** Where volumes are found in a container: by their names, and at which paths. */
interface Places {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

/** Of a volume with several paths only the last counts, as in kube-apiserver. */
function placesOf<T extends VolumeMount | VolumeDevice>(all: readonly T[], pathOf: (one: T) => string): Places {
  const pathByName = new Map(all.map((one) => [one.name, pathOf(one)]));
  return { names: new Set(pathByName.keys()), paths: new Set(pathByName.values()) };
}

function validateAgainstDevices(mount: VolumeMount, devices: Places, at: FieldErrors): void {
  if (devices.names.has(mount.name)) at.child('name').invalid(mount.name, 'must not already exist in volumeDevices');
  if (devices.paths.has(mount.mountPath)) at.child('mountPath').invalid(mount.mountPath, 'must not already exist as a path in volumeDevices');
}

function validateSubPath({ subPath, subPathExpr }: VolumeMount, here: FieldErrors, list: FieldErrors): void {
  if (subPath) validateLocalPath(subPath, list.child('subPath'));
  if (!subPathExpr) return;
  if (subPath) here.child('subPathExpr').invalid(subPathExpr, 'subPathExpr and subPath are mutually exclusive');
  validateLocalPath(subPathExpr, list.child('subPathExpr'));
}

function validatePropagation({ mountPropagation }: VolumeMount, container: Container, at: FieldErrors): void {
  allowOneOf(mountPropagation, at, PROPAGATIONS);
  if (mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    at.forbidden('Bidirectional mount propagation is available only to privileged containers');
  }
}

export function validateDevices(container: Container, volumes: Volumes, at: FieldErrors): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = placesOf(container.volumeMounts ?? [], ({ mountPath }) => mountPath);
  for (const [position, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
    const atName = at.index(position).child('name');
    const atPath = at.index(position).child('devicePath');
    requireText(name, atName);
    if (names.has(name)) atName.invalid(name, 'must be unique');
    const volume = volumes.get(name);
    if (volume === undefined) atName.notFound(name);
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      atName.invalid(name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
    }
    requireText(devicePath, atPath);
    if (paths.has(devicePath)) atPath.invalid(devicePath, 'must be unique');
    if (devicePath.split('/').includes('..')) atPath.invalid(devicePath, `can not contain backsteps ('..')`);
    else paths.add(devicePath);
    if (mounts.names.has(name)) atName.invalid(name, 'must not already exist in volumeMounts');
    if (mounts.paths.has(devicePath)) atPath.invalid(devicePath, 'must not already exist as a path in volumeMounts');
    if (name) names.add(name);
  }
}
