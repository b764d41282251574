/** What the only entry of each list is called. */
export const KUBECONFIG_NAMES = { clusters: 'orch', users: 'admin', contexts: 'orch' } as const;

/** A kubeconfig for one user of one server. JSON is YAML, and needs no quoting rules. */
export function formatKubeconfig(options: { readonly server: string; readonly authorityPem: string; readonly token: string }): string {
  const { clusters: cluster, users: user, contexts: context } = KUBECONFIG_NAMES;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: { server: options.server, 'certificate-authority-data': Buffer.from(options.authorityPem).toString('base64') },
      },
    ],
    users: [{ name: user, user: { token: options.token } }],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
