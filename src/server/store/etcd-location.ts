/** Settings of `--etcd-…` flags. An empty text is a setting that is not given, as in kube-apiserver. */
export interface EtcdSettings {
  /** `http://host:port` or `https://host:port`, separated by commas. */
  readonly servers: string;
  readonly prefix?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The compaction interval. 0: another program compacts. */
  readonly compactionSeconds?: number;
}

/** The `store` option for a cluster. Throws an `Error` that names what is wrong. */
export function etcdStore({ servers, prefix, caFile, certFile, keyFile, compactionSeconds }: EtcdSettings): string {
  const urls = servers.split(',').map((server) => serverOf(server.trim()));
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) throw new Error('either all servers of etcd are reached by https, or none');
  const query = new URLSearchParams();
  const isSecure = urls[0]?.protocol === 'https:';
  if (isSecure) query.set('tls', 'true');
  else if ([caFile, certFile, keyFile].some(isGiven)) throw new Error('files for TLS are given, but the servers are http://: write https://');
  const named = { prefix, cafile: caFile, certfile: certFile, keyfile: keyFile, 'compaction-seconds': compactionSeconds };
  for (const [name, value] of Object.entries(named)) if (isGiven(value)) query.set(name, String(value));
  return `etcd://${urls.map(({ host }) => host).join(',')}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

const isGiven = (value: string | number | undefined): boolean => value !== undefined && value !== '';

function serverOf(text: string): { readonly protocol: string; readonly host: string } {
  const form = /^(https?:)\/\/([^/?#]+)\/?$/.exec(text.includes('://') ? text : `http://${text}`);
  if (form === null) throw new Error(`${JSON.stringify(text)} is no address of an etcd server: write http://host:port or https://host:port`);
  return { protocol: form[1] as string, host: form[2] as string };
}

/** Whether a store is a cluster of etcd, where other servers may have written what is there, and may write. */
export const isEtcd = (store: string): boolean => store.startsWith('etcd://');

/** The root of the keys in a store; undefined: the usual one. */
export function rootOf(store: string): string | undefined {
  if (!isEtcd(store)) return undefined;
  const split = store.indexOf('?');
  const prefix = split < 0 ? null : new URLSearchParams(store.slice(split + 1)).get('prefix');
  const parts = (prefix ?? '').split('/').filter((part) => part !== '');
  return parts.length === 0 ? undefined : `/${parts.join('/')}`;
}
