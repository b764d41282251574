/** One row per flag of `orch serve`; names and meaning are those of kube-apiserver where it has the flag. Help and docs are made from it. */
export interface Flag {
  readonly name: string;
  /** A duration is written as `1h30m` or `500ms`; its default too. */
  readonly type: 'string' | 'number' | 'boolean' | 'duration';
  readonly default?: string | number | boolean;
  /** Values it takes, where they are few. */
  readonly choices?: readonly string[];
  /** Bounds of a number. Default: from 0 on. */
  readonly min?: number;
  readonly max?: number;
  readonly help: string;
}

export const FLAGS = [
  { name: 'anonymous-auth', type: 'boolean', default: true, help: 'Let requests without credentials in as system:anonymous.' },
  { name: 'bind-address', type: 'string', default: '127.0.0.1', help: 'Address to listen on.' },
  { name: 'client-ca-file', type: 'string', help: 'PEM file of the authorities whose client certificates are accepted, beside the own one.' },
  { name: 'controllers', type: 'string', default: '*', help: 'Controllers to run: *, names, -name, or none. Only the filling of aggregated roles is there yet; none turns it off.' },
  { name: 'data-dir', type: 'string', default: './orch-data', help: 'Folder of the store, the certificates and the admin token.' },
  { name: 'dialect', type: 'string', default: 'orch', choices: ['orch', 'kubernetes'], help: 'How product names are spelled on the wire. kubernetes: for kubectl, helm and other Kubernetes clients.' },
  { name: 'insecure-port', type: 'number', max: 65535, help: 'Also listen here with plain HTTP, on 127.0.0.1 only. 0: any free port.' },
  { name: 'kubeconfig-out', type: 'string', help: 'Where to write the kubeconfig of the admin. Default: <data-dir>/kubeconfig.' },
  { name: 'livez-grace-period', type: 'duration', default: '0s', help: 'How long after the start /livez overlooks parts that are not ready yet, as 30s or 2m.' },
  { name: 'log-requests', type: 'boolean', default: false, help: 'Log requests that fail in the server or take longer than a second.' },
  { name: 'secure-port', type: 'number', default: 6443, max: 65535, help: 'Port for HTTPS. 0: any free port.' },
  { name: 'shutdown-delay-duration', type: 'duration', default: '0s', help: 'How long after SIGTERM requests are still served while /readyz fails, as 30s or 2m.' },
  { name: 'shutdown-grace-seconds', type: 'number', default: 10, max: 3600, help: 'How long running requests may go on after SIGTERM.' },
  { name: 'store', type: 'string', help: 'lmdb://<folder> or memory://. Default: lmdb in <data-dir>/store.' },
  { name: 'tls-cert-file', type: 'string', help: 'PEM file of the serving certificate. Default: one made by the own authority.' },
  { name: 'tls-private-key-file', type: 'string', help: 'PEM file of the key of --tls-cert-file.' },
  { name: 'token-auth-file', type: 'string', help: 'File of token,user,uid[,"group1,group2"] lines.' },
] as const satisfies readonly Flag[];
