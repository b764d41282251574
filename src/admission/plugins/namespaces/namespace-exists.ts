import { notFound } from '#errors';
import { definePlugin } from '../../plugin.ts';

/** Refuses writes in namespaces that do not exist. NamespaceLifecycle checks more, and is enabled by default. @spec 4.11 */
export const namespaceExists = definePlugin({
  name: 'NamespaceExists',
  enabled: false,
  band: 'builtin',
  after: ['NamespaceLifecycle'],
  create: ({ objects }) => ({
    on: ['CREATE', 'UPDATE', 'DELETE'],
    async validate({ resource, namespace: name }) {
      if (name === '' || resource.kind.scope === 'Cluster') return;
      const found = await objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name });
      if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
    },
  }),
});
