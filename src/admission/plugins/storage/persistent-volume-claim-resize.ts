import { compareQuantities, parseQuantity } from '#schema';
import type { Brand } from '#api';
import type { PersistentVolumeClaim, StorageClass } from '#kinds';
import { definePlugin, refuse, type AdmissionEnv } from '../../plugin.ts';

const STORAGE_CLASS = { group: 'storage', kind: 'StorageClass' };

/**
 * Claims can be enlarged only while they are bound, and only where their storage class allows expansion.
 * @spec 4.11
 */
export const persistentVolumeClaimResize = definePlugin({
  name: 'PersistentVolumeClaimResize',
  enabled: true,
  band: 'builtin',
  after: ['OwnerReferencesPermissionEnforcement'],
  create: (env) => ({
    on: ['UPDATE'],
    kinds: ['/persistentvolumeclaims'],
    async validate(request) {
      const next = request.object as PersistentVolumeClaim;
      const live = request.live as PersistentVolumeClaim;
      if (!grows(next, live)) return;
      if (live.status.phase !== 'Bound') throw refuse(request, 'Only bound persistent volume claims can be expanded');
      if (await canGrow(env, next, live)) return;
      throw refuse(request, 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize');
    },
  }),
});

const sizeOf = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec.resources?.requests?.['storage'] ?? '0');

function grows(next: PersistentVolumeClaim, live: PersistentVolumeClaim): boolean {
  const [after, before] = [sizeOf(next), sizeOf(live)];
  return after !== undefined && before !== undefined && compareQuantities(after, before) > 0;
}

async function canGrow({ objects, brand }: AdmissionEnv, next: PersistentVolumeClaim, live: PersistentVolumeClaim): Promise<boolean> {
  const name = classOf(next, brand);
  if (name === '' || name !== classOf(live, brand)) return false;
  const found = (await objects.get(STORAGE_CLASS, { namespace: '', name })) as StorageClass | undefined;
  return found?.allowVolumeExpansion === true;
}

const classOf = ({ metadata, spec }: PersistentVolumeClaim, { names }: Brand): string =>
  metadata.annotations?.[`volume.beta.${names.domain}/storage-class`] ?? spec.storageClassName ?? '';
