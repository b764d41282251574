import type { ApiObject } from '#api';
import type { PersistentVolumeClaim } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

const STORAGE_CLASS = { group: 'storage', kind: 'StorageClass' };

/**
 * Sets the default storage class in new claims that name none. An empty class in a claim means no class.
 * @spec 4.11
 */
export const defaultStorageClass = definePlugin({
  name: 'DefaultStorageClass',
  enabled: true,
  band: 'builtin',
  after: ['PersistentVolumeLabel'],
  create({ brand, objects }) {
    const { domain } = brand.names;
    const marks = ['storageclass', 'storageclass.beta'].map((prefix) => `${prefix}.${domain}/is-default-class`);
    const isDefault = ({ metadata }: ApiObject): boolean => marks.some((mark) => metadata.annotations?.[mark] === 'true');
    return {
      on: ['CREATE'],
      kinds: ['/persistentvolumeclaims'],
      async mutate(request) {
        const { metadata, spec } = request.object as PersistentVolumeClaim;
        // The annotation is how a class was named before there was a field.
        if (spec.storageClassName !== undefined || metadata.annotations?.[`volume.beta.${domain}/storage-class`] !== undefined) return;
        const classes = (await objects.list(STORAGE_CLASS, '')).filter(isDefault);
        if (classes.length > 1) throw refuse(request, `Internal error occurred: ${classes.length} default StorageClasses were found`);
        const name = classes[0]?.metadata.name;
        if (name !== undefined) spec.storageClassName = name;
      },
    };
  },
});
