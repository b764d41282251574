/** A kubeconfig for one user of one server. JSON is YAML, and needs no quoting rules. */
export function formatKubeconfig(options: { readonly server: string; readonly authorityPem: string; readonly token: string }): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'orch',
        cluster: { server: options.server, 'certificate-authority-data': Buffer.from(options.authorityPem).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token: options.token } }],
    contexts: [{ name: 'orch', context: { cluster: 'orch', user: 'admin' } }],
    'current-context': 'orch',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
