import { definePlugin } from '../../plugin.ts';

/**
 * Adds a finalizer to volumes and claims, so that they are not removed while in use; a controller removes it afterwards.
 * @spec 4.11
 */
export const storageObjectInUseProtection = definePlugin({
  name: 'StorageObjectInUseProtection',
  enabled: true,
  band: 'builtin',
  after: ['DefaultStorageClass'],
  create: ({ brand }) => ({
    on: ['CREATE'],
    kinds: ['/persistentvolumes', '/persistentvolumeclaims'],
    mutate({ object, resource }) {
      if (object === undefined) return;
      const finalizer = `${brand.names.domain}/${resource.kind.kind === 'PersistentVolume' ? 'pv' : 'pvc'}-protection`;
      const finalizers = object.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
    },
  }),
});
