import { addToList } from '#base';
import type { Brand } from '#api';
import type { FieldErrors } from '#errors';
import { everyContainer, VOLUME_KINDS, type PodSecurityPolicy, type PodSpec } from '#kinds';

type Spec = PodSecurityPolicy['spec'];
type Volume = NonNullable<PodSpec['volumes']>[number];

/** Reports volumes of a pod that a policy does not allow. */
export function checkVolumes(pod: PodSpec, spec: Spec, brand: Brand, root: FieldErrors): void {
  let writable: Writable | undefined;
  const writableMounts = (name: string): readonly FieldErrors[] => (writable ??= writableOf(pod, root)).get(name) ?? [];
  for (const [position, volume] of (pod.volumes ?? []).entries()) {
    const kind = VOLUME_KINDS.find((one) => volume[one] !== undefined);
    if (kind === undefined) continue;
    const at = root.child('spec', 'volumes').index(position);
    const name = kind === 'cephfs' ? 'cephFS' : kind;
    if (!allowsKind(spec, name, volume, brand)) at.invalid(name, `${name} volumes are not allowed to be used`);
    else CHECKS[kind]?.(volume, spec, at, writableMounts);
  }
}

function allowsKind({ volumes }: Spec, name: string, { projected }: Volume, { names }: Brand): boolean {
  const allowed = volumes ?? [];
  if (allowed.includes('*') || allowed.includes(name)) return true;
  return allowed.includes('secret') && name === 'projected' && isOfAccount(projected, names.rootCaConfigMap);
}

/** Whether a volume has nothing but the token of the service account and what comes with it: such volumes took the place of secrets. */
function isOfAccount(projected: Volume['projected'], rootCa: string): boolean {
  return (projected?.sources ?? []).every(({ serviceAccountToken: token, configMap, downwardAPI }) => {
    if (!token && !configMap && !downwardAPI) return false;
    if (token && (token.path !== 'token' || token.audience)) return false;
    if (configMap && configMap.name !== rootCa) return false;
    return (downwardAPI?.items ?? []).every(({ path, fieldRef }) => path === 'namespace' && fieldRef?.apiVersion === 'v1' && fieldRef.fieldPath === 'metadata.namespace');
  });
}

/** Where volumes are mounted that can be written there, by their names. */
type Writable = ReadonlyMap<string, readonly FieldErrors[]>;

function writableOf(pod: PodSpec, root: FieldErrors): Writable {
  const found = new Map<string, FieldErrors[]>();
  everyContainer(pod, root.child('spec'), ({ volumeMounts }, here) => {
    for (const [position, { name, readOnly }] of (volumeMounts ?? []).entries()) {
      if (readOnly !== true) addToList(found, name, here.child('volumeMounts').index(position));
    }
  });
  return found;
}

type Check = (volume: Volume, spec: Spec, at: FieldErrors, writableMounts: (name: string) => readonly FieldErrors[]) => void;

const CHECKS: Readonly<Partial<Record<(typeof VOLUME_KINDS)[number], Check>>> = {
  hostPath: checkHostPath,
  flexVolume({ flexVolume }, { allowedFlexVolumes }, at) {
    const driver = flexVolume?.driver ?? '';
    if (isListed(allowedFlexVolumes, (one) => one.driver === driver)) return;
    at.child('driver').invalid(driver, 'Flexvolume driver is not allowed to be used');
  },
  csi({ csi }, { allowedCSIDrivers }, at) {
    const driver = csi?.driver ?? '';
    if (isListed(allowedCSIDrivers, (one) => one.name === driver)) return;
    at.child('csi', 'driver').invalid(driver, 'Inline CSI driver is not allowed to be used');
  },
};

/** An empty list allows everything. */
const isListed = <T>(list: readonly T[] | null | undefined, isIt: (one: T) => boolean): boolean => (list ?? []).length === 0 || (list ?? []).some(isIt);

function checkHostPath({ name, hostPath }: Volume, { allowedHostPaths }: Spec, at: FieldErrors, writableMounts: (name: string) => readonly FieldErrors[]): void {
  const path = hostPath?.path ?? '';
  const over = (allowedHostPaths ?? []).filter(({ pathPrefix }) => isBelow(path, pathPrefix ?? ''));
  if ((allowedHostPaths ?? []).length === 0 || over.some(({ readOnly }) => readOnly !== true)) return;
  if (over.length === 0) {
    at.child('hostPath', 'pathPrefix').invalid(path, 'is not allowed to be used');
    return;
  }
  // Of volumes with one name, each has all the mounts.
  for (const mount of writableMounts(name)) {
    if (at.isFull) return;
    mount.child('readOnly').invalid(false, 'must be read-only');
  }
}

function isBelow(path: string, prefix: string): boolean {
  const [below, over] = [path, prefix].map((one) => (one.endsWith('/') ? one.slice(0, -1) : one)) as [string, string];
  return below === over || below.startsWith(`${over}/`);
}
