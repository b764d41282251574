import { ApiError, isRefusal } from '#errors';
import type { Namespace } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

const NAMESPACE = { group: '', kind: 'Namespace' };

/** Creates the namespace of a new object where it does not exist. @spec 4.11 */
export const namespaceAutoProvision = definePlugin({
  name: 'NamespaceAutoProvision',
  enabled: false,
  band: 'builtin',
  after: ['AlwaysAdmit'],
  create: ({ objects }) => ({
    on: ['CREATE'],
    async mutate(request) {
      const { resource, namespace: name, dryRun } = request;
      if (name === '' || resource.kind.scope === 'Cluster' || dryRun) return;
      if ((await objects.get(NAMESPACE, { namespace: '', name })) !== undefined) return;
      try {
        const namespace: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {}, status: {} };
        await objects.create(NAMESPACE, namespace);
      } catch (cause) {
        // Another request created it concurrently.
        if (isRefusal(cause, 'AlreadyExists')) return;
        throw cause instanceof ApiError ? refuse(request, cause) : cause;
      }
    },
  }),
});
