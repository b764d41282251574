import type { FieldErrors } from '#errors';
import type { Volume } from '../volume/volume.ts';
import type { Container } from './container.ts';
import type { VolumeDevice, VolumeMount } from './mounts.ts';
import { validateLocalPath } from './path-checks.ts';
import { allowOneOf, requireText } from './value-checks.ts';

/** The valid volumes of the pod, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

export function validateMounts(container: Container, volumes: Volumes, at: FieldErrors): void {
  const paths = new Set<string>();
  for (const [position, mount] of (container.volumeMounts ?? []).entries()) {
    const here = at.index(position);
    requireText(mount.name, here.child('name'));
    if (!volumes.has(mount.name)) here.child('name').notFound(mount.name);
    requireText(mount.mountPath, here.child('mountPath'));
    if (paths.has(mount.mountPath)) here.child('mountPath').invalid(mount.mountPath, 'must be unique');
    paths.add(mount.mountPath);
    validateAgainstDevices(mount, container.volumeDevices ?? [], here);
    // kube-apiserver reports these at the path of the list.
    validateSubPath(mount, here, at);
    validatePropagation(mount, container, at.child('mountPropagation'));
  }
}

function validateAgainstDevices(mount: VolumeMount, devices: readonly VolumeDevice[], at: FieldErrors): void {
  if (devices.some(({ name }) => name === mount.name)) at.child('name').invalid(mount.name, 'must not already exist in volumeDevices');
  if (devices.some(({ devicePath }) => devicePath === mount.mountPath)) {
    at.child('mountPath').invalid(mount.mountPath, 'must not already exist as a path in volumeDevices');
  }
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
  const mounts = container.volumeMounts ?? [];
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
    if (mounts.some((mount) => mount.name === name)) atName.invalid(name, 'must not already exist in volumeMounts');
    if (mounts.some((mount) => mount.mountPath === devicePath)) atPath.invalid(devicePath, 'must not already exist as a path in volumeMounts');
    if (name) names.add(name);
  }
}
