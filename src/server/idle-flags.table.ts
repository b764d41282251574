import { FLAGS, type Flag } from './flags.table.ts';

/** A flag of kube-apiserver that is accepted, since scripts give it, and does nothing: `idle` says why. */
export interface IdleFlag extends Flag {
  readonly idle: string;
  /** Accepted values. Others are rejected, and all where the list is empty: an operator must learn that they have no effect. Default: any value. */
  readonly only?: readonly string[];
}

const CLOUD = 'there are no cloud providers in this server';
const LOGS = 'logs are JSON lines on standard error';
const SHARED = 'servers that share a store find each other by leases in it';
const WATCH = 'every resource has a watch cache, which grows and shrinks by itself';
const PROFILING = 'profiles are taken with the tools of Node';
const ETCD = 'the store is watched in another way';

/** `strings`: a text that may be given several times. */
type Row = readonly [type: Flag['type'] | 'strings', idle: string, only?: readonly string[]];

const SEVERAL = { type: 'string', isList: true } as const;
/** Nobody reads the text. */
const MAY_BE_EMPTY = { mayBeEmpty: true } as const;

/**
 * Values that would change where data is stored, where calls go or who is authorized are rejected, so that no operator relies on a flag without
 * effect.
 */
const ROWS: Readonly<Record<string, Row>> = {
  'add-dir-header': ['boolean', LOGS],
  'admission-control': ['strings', '--enable-admission-plugins and --disable-admission-plugins say which plugins run', []],
  'aggregator-reject-forwarding-redirect': ['boolean', 'redirects of other servers are never followed', ['true']],
  alsologtostderr: ['boolean', LOGS],
  'apiserver-count': ['number', SHARED],
  'cloud-config': ['string', CLOUD],
  'cloud-provider': ['string', CLOUD],
  'cloud-provider-gce-l7lb-src-cidrs': ['strings', CLOUD],
  'contention-profiling': ['boolean', PROFILING],
  'default-watch-cache-size': ['number', WATCH],
  'egress-selector-config-file': ['string', 'calls go out directly, or as the routes of the machine say', []],
  'enable-aggregator-routing': ['boolean', 'aggregated servers are called at the endpoints of their services, or at its address where there are none'],
  'enable-garbage-collector': ['boolean', '--controllers=*,-garbagecollector runs without it', ['true']],
  'endpoint-reconciler-type': ['string', SHARED],
  'etcd-count-metric-poll-period': ['duration', ETCD],
  'etcd-db-metric-poll-interval': ['duration', ETCD],
  'etcd-healthcheck-timeout': ['duration', 'the health check of the store always waits two seconds'],
  'etcd-servers-overrides': ['strings', 'all resources lie in one store', []],
  'experimental-logging-sanitization': ['boolean', 'tokens and bodies are never logged'],
  'identity-lease-duration-seconds': ['number', SHARED],
  'identity-lease-renew-interval-seconds': ['number', SHARED],
  'kubelet-timeout': ['duration', 'nodes have 30 seconds to take a connection'],
  'kubernetes-service-node-port': ['number', 'the Service of the API has no port on nodes', ['0']],
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
  'max-connection-bytes-per-sec': ['number', 'connections to nodes are as fast as they can be', ['0']],
  'one-output': ['boolean', LOGS],
  'permit-address-sharing': ['boolean', 'addresses are opened as the system does it'],
  'permit-port-sharing': ['boolean', 'ports are opened as the system does it'],
  profiling: ['boolean', PROFILING],
  'shutdown-send-retry-after': ['boolean', 'clients are told to close their connections, and their requests are served until --shutdown-delay-duration is over'],
  'skip-headers': ['boolean', LOGS],
  'skip-log-headers': ['boolean', LOGS],
  stderrthreshold: ['string', LOGS],
  'storage-backend': ['string', '--store says which engine keeps the data', ['etcd3']],
  v: ['number', '--log-requests makes the log talk more'],
  vmodule: ['strings', LOGS],
  'watch-cache': ['boolean', WATCH],
  'watch-cache-sizes': ['strings', WATCH],
};

const known: ReadonlySet<string> = new Set(FLAGS.map(({ name }) => name));

export const IDLE_FLAGS: readonly IdleFlag[] = Object.entries(ROWS)
  .filter(([name]) => !known.has(name))
  .map(([name, [type, idle, only]]) => ({ name, ...(type === 'strings' ? SEVERAL : { type }), ...MAY_BE_EMPTY, idle, ...(only === undefined ? {} : { only }), help: `${acceptedOf(only)}: ${idle}.` }));

function acceptedOf(only: readonly string[] | undefined): string {
  if (only === undefined) return "Accepted for kube-apiserver's sake, and does nothing";
  return only.length === 0 ? 'Refused' : `Accepted for kube-apiserver's sake as ${only.join(' or ')}, and refused otherwise`;
}
