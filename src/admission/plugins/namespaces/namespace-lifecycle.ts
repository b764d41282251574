import { ApiError, forbidden, notFound } from '#errors';
import { isOfNamespaces, type ApiObject, type ObjectKey } from '#api';
import type { AdmissionEnv, AdmissionRequest } from '../../plugin.ts';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Refuses creation in namespaces that do not exist or are being deleted, and deletion of the namespaces that the system needs.
 * @spec 4.11
 */
export const namespaceLifecycle = definePlugin({
  name: 'NamespaceLifecycle',
  enabled: true,
  band: 'builtin',
  after: ['NamespaceAutoProvision'],
  create: (env) => ({
    on: ['CREATE', 'DELETE'],
    // Mutating phase, so that no later plugin does work for a request that cannot succeed.
    mutate: (request) => (request.operation === 'DELETE' ? refuseSystemNamespace(env, request) : requireActiveNamespace(env, request)),
    // The namespace may be deleted while webhooks are called, or by another server.
    validate(request) {
      if (needsNamespace(request)) request.onlyWhile({ kind: NAMESPACE, key: keyOf(request), check: (found) => checkActive(request, found) });
    },
  }),
});

function refuseSystemNamespace(env: AdmissionEnv, request: AdmissionRequest): void {
  const { names } = env.brand;
  const kept: readonly string[] = ['default', names.systemNamespace, names.publicNamespace];
  if (isOfNamespaces(request.resource) && request.subresource === '' && kept.includes(request.name)) {
    throw forbidden({ group: '', resource: 'namespaces' }, request.name, 'this namespace may not be deleted');
  }
}

function requireActiveNamespace({ objects }: AdmissionEnv, request: AdmissionRequest): Promise<void> | void {
  if (!needsNamespace(request)) return;
  const key = keyOf(request);
  // Every create takes this path. An object is stored only under the condition of `validate`, so for it a cached namespace, even a stale one,
  // suffices.
  const isStored = request.subresource === '' && !request.dryRun;
  const known = objects.atHand?.(NAMESPACE, key, isStored ? 'any' : 'latest')?.object;
  if (known !== undefined && known.metadata.deletionTimestamp === undefined) return;
  return objects.get(NAMESPACE, key).then((found) => checkActive(request, found));
}

const NAMESPACE = { group: '', kind: 'Namespace' };
const keyOf = ({ namespace }: Readonly<AdmissionRequest>): ObjectKey => ({ namespace: '', name: namespace });

const needsNamespace = ({ operation, namespace, resource: { kind } }: Readonly<AdmissionRequest>): boolean =>
  operation === 'CREATE' && namespace !== '' && kind.scope !== 'Cluster' && !MAY_ASK_ANYWHERE.has(`${kind.group}/${kind.plural}`);

function checkActive(request: Readonly<AdmissionRequest>, found: ApiObject | undefined): void {
  const { namespace } = request;
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (!found.metadata.deletionTimestamp) return;
  const refusal = refuse(request, `unable to create new content in namespace ${namespace} because it is being terminated`);
  throw new ApiError('Forbidden', refusal.message, {
    ...refusal.details,
    causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
  });
}

/** Reviews store nothing, so their namespace need not exist. By group (in neutral form) and resource. */
const MAY_ASK_ANYWHERE: ReadonlySet<string> = new Set(['authorization/localsubjectaccessreviews']);
