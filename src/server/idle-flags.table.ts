import { FLAGS, type Flag } from './flags.table.ts';

/** A flag of kube-apiserver that is accepted, since scripts give it, and does nothing: `idle` says why. */
export interface IdleFlag extends Flag {
  readonly idle: string;
}

const CLOUD = 'there are no cloud providers in this server';
const LOGS = 'logs are JSON lines on standard error';
const SHARED = 'servers that share a store find each other by leases in it';
const WATCH = 'every resource has a watch cache, which grows and shrinks by itself';
const PROFILING = 'profiles are taken with the tools of Node';
const ETCD = 'the store is watched in another way';

type Row = readonly [type: Flag['type'], idle: string];

/**
 * Only flags whose absence harms nobody: what changes where data lies or who may do what is refused as unknown, so that nobody relies on it.
 */
const ROWS: Readonly<Record<string, Row>> = {
  'add-dir-header': ['boolean', LOGS],
  alsologtostderr: ['boolean', LOGS],
  'apiserver-count': ['number', SHARED],
  'cert-dir': ['string', 'certificates that are made lie in <data-dir>/pki'],
  'cloud-config': ['string', CLOUD],
  'cloud-provider': ['string', CLOUD],
  'cloud-provider-gce-l7lb-src-cidrs': ['string', CLOUD],
  'contention-profiling': ['boolean', PROFILING],
  'default-watch-cache-size': ['number', WATCH],
  'delete-collection-workers': ['number', 'one thread does the work; deletions of a collection are written together'],
  'endpoint-reconciler-type': ['string', SHARED],
  'etcd-count-metric-poll-period': ['duration', ETCD],
  'etcd-db-metric-poll-interval': ['duration', ETCD],
  'etcd-healthcheck-timeout': ['duration', 'the health check of the store always waits two seconds'],
  'experimental-logging-sanitization': ['boolean', 'tokens and bodies are never logged'],
  'goaway-chance': ['string', 'connections stay as long as clients want'],
  'lease-reuse-duration-seconds': ['number', ETCD],
  'log-backtrace-at': ['string', LOGS],
  'log-dir': ['string', LOGS],
  'log-file': ['string', LOGS],
  'log-file-max-size': ['number', LOGS],
  'log-flush-frequency': ['duration', 'log lines are written at once'],
  'log-json-info-buffer-size': ['string', LOGS],
  'log-json-split-stream': ['boolean', LOGS],
  'logging-format': ['string', LOGS],
  logtostderr: ['boolean', LOGS],
  'master-service-namespace': ['string', 'the Service of the API is in the namespace default'],
  'one-output': ['boolean', LOGS],
  'permit-address-sharing': ['boolean', 'addresses are opened as the system does it'],
  'permit-port-sharing': ['boolean', 'ports are opened as the system does it'],
  profiling: ['boolean', PROFILING],
  'skip-headers': ['boolean', LOGS],
  'skip-log-headers': ['boolean', LOGS],
  stderrthreshold: ['string', LOGS],
  'storage-backend': ['string', '--store says which engine keeps the data'],
  'storage-media-type': ['string', 'objects are stored as JSON, and read in both forms'],
  v: ['number', '--log-requests makes the log talk more'],
  vmodule: ['string', LOGS],
  'watch-cache': ['boolean', WATCH],
  'watch-cache-sizes': ['string', WATCH],
};

const known: ReadonlySet<string> = new Set(FLAGS.map(({ name }) => name));

export const IDLE_FLAGS: readonly IdleFlag[] = Object.entries(ROWS)
  .filter(([name]) => !known.has(name))
  .map(([name, [type, idle]]) => ({ name, type, idle, help: `Accepted for kube-apiserver's sake, and does nothing: ${idle}.` }));
