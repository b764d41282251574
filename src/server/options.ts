import type { AdmissionObserver, AdmissionPlugin } from '#admission';
import type { Clock, Log } from '#base';
import type { Dialect, KindDefinition } from '#api';
import type { AggregationOptions } from './aggregation-options.ts';
import type { AuditSettings } from './audit/options.ts';
import type { AuthenticationOptions } from './access/authentication-options.ts';
import type { AuthorizationOptions } from './access/authorization-options.ts';
import type { CertificateSigningOptions } from './certificates/certificate-authority.ts';
import type { FlowControlSettings } from './flow-control.ts';
import type { LeaderElectionLease, LeaderElectionTimes } from './leader-election-options.ts';
import type { MetricsOptions } from './metrics/options.ts';
import type { NodeOptions } from './node-connections.ts';
import type { OpenDoors } from './access/open-doors.ts';
import type { ServiceOptions, SettledServices } from './services/options.ts';
import type { ServingOptions } from './serving-options.ts';
import type { StorageFormat } from './store/stored-format.ts';
import type { TlsOptions } from './certificates/tls-options.ts';
import type { TracingOptions } from './tracing/options.ts';

/** Options of a server. Everything has a default: `startServer()` is an empty server in memory, on a free loopback port. */
export interface ServerOptions {
  /** Spelling of product names on the wire, and in stored objects: a store that was written in the other one is refused. Default `orch`. */
  readonly dialect?: Dialect;
  /** `memory://` (default), `lmdb://<folder>`, `sqlite://<folder>`, or `etcd://<host:port>,…` (see docs/engines.md). */
  readonly store?: string;
  /** Where to listen; `false`: no socket, only `exchange`. Default: plain HTTP on a free loopback port. */
  readonly listen?: Listen | false;
  /** A second address, without TLS, on loopback only. Default: none. */
  readonly insecureListen?: Pick<Listen, 'port'>;
  /** Lines of `token,user,uid[,"group1,group2"]`. */
  readonly tokens?: string;
  /** Accept requests without credentials as `system:anonymous`. Default true; never with the mode `AlwaysAllow`. */
  readonly anonymous?: boolean;
  /** Further authentication. Default: service accounts alone, with a key that lives as long as the server. */
  readonly authentication?: AuthenticationOptions;
  /** Authorization. Default: RBAC. */
  readonly authorization?: AuthorizationOptions;
  /** Aggregated APIs. Default: this server presents no client certificate to them. */
  readonly aggregation?: AggregationOptions;
  /** Which admission plugins run, and how. Default: those that are on by default. */
  readonly admission?: AdmissionOptions;
  /** The audit policy and sinks. Default: none. */
  readonly audit?: AuditSettings;
  /**
   * Which controllers run: `*`, `*,-name`, names, or `none`, as `--controllers` takes them. Default `*`. A name that is not known fails the start.
   */
  readonly controllers?: string;
  /** Give aggregated roles (`admin`, `edit`, `view`) their rules at start. Default true. */
  readonly aggregateRoles?: boolean;
  /** PEM of the CA that clients inside a cluster trust; published in every namespace. Default: none is published. */
  readonly rootCa?: string;
  /** The authority that signs certificate requests, and for how long. Default: one that lives as long as the server, for a year. */
  readonly certificateSigning?: CertificateSigningOptions;
  /** How kubelets are reached. Default: without a client certificate, and without verifying theirs. */
  readonly nodes?: NodeOptions;
  /** Kinds beside the built-in ones: everything else follows from their declarations. Default: none. */
  readonly kinds?: readonly KindDefinition[];
  /** Which groups and versions are served, as `--runtime-config` takes it: `api/beta=false,batch/v1beta1=true`. Default: all but alpha versions. */
  readonly runtimeConfig?: string;
  /** Features that are switched, by the names of `--feature-gates`. Default: each as its stage says. */
  readonly features?: ReadonlyMap<string, boolean>;
  /** Which of the weaknesses that Kubernetes leaves open are allowed. Defaults: see `OpenDoors`. */
  readonly doors?: OpenDoors;
  /** Timeouts of requests, and response headers for browsers. */
  readonly serving?: ServingOptions;
  /** Which metrics `/metrics` shows. Default: all. */
  readonly metrics?: MetricsOptions;
  /** Addresses and ports of services. */
  readonly services?: ServiceOptions;
  /**
   * Other processes of this machine may have the store in its folder open too, if all of them say so (LMDB only). Default false: they are refused.
   */
  readonly isStoreShared?: boolean;
  /**
   * Let only one of the servers that share a store run controllers, elected by a lease. Default: unless the store is in memory, or in a folder
   * and not shared.
   */
  readonly leaderElection?: boolean;
  /** Default: that of Kubernetes. */
  readonly leaderElectionLease?: LeaderElectionLease;
  /** Default: as those of Kubernetes. */
  readonly leaderElectionTimes?: LeaderElectionTimes;
  /** How long revisions are kept before compaction. Default 5 minutes. */
  readonly historySeconds?: number;
  /** The text of an EncryptionConfiguration: which resources are encrypted in the store, and how. Default: none. */
  readonly encryption?: string;
  /** How objects of built-in kinds are written to etcd; both forms are read. Default: JSON. Other engines keep JSON. */
  readonly storageFormat?: StorageFormat;
  /** Bounds on concurrent requests. Default: priority levels, 600 in all. */
  readonly flowControl?: FlowControlSettings;
  /** How long `/livez` ignores start steps that are not done. Default 0. */
  readonly livezGraceMs?: number;
  /** How long `close` goes on serving while `/readyz` fails already, so that load balancers notice. Default 0. */
  readonly shutdownDelayMs?: number;
  /** How long `close` lets running requests go on. Default 10 seconds. */
  readonly shutdownGraceMs?: number;
  /** The collector of traces. Default: none are recorded. */
  readonly tracing?: TracingOptions;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Admission plugins by name. A name that is not known fails the start. @spec 4.11 */
export interface AdmissionOptions {
  /** In addition to the default plugins. */
  readonly enable?: readonly string[];
  /** May name default plugins. */
  readonly disable?: readonly string[];
  /** Plugins of the embedding program, in addition to the built-in ones: each runs in the position it names. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** The configuration of a plugin, by its name: what `configuration` of an AdmissionConfiguration file holds, with its `apiVersion` and `kind`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Observes plugins and webhooks, for metrics. Default: none. */
  readonly observer?: AdmissionObserver;
}

/** Where a server listens. */
export interface Listen {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** PEM texts. Absent: plain HTTP, on loopback addresses only. */
  readonly tls?: TlsOptions;
}

/** Options whose absence means something. */
type Unset = 'audit' | 'tracing' | 'tokens' | 'insecureListen' | 'rootCa' | 'encryption' | 'storageFormat';

/** The options with every default filled in. */
export type Settings = Required<Omit<ServerOptions, Unset>> &
  Pick<ServerOptions, Unset> & {
    readonly leaderElectionLease: Required<LeaderElectionLease>;
    readonly leaderElectionTimes: Required<LeaderElectionTimes>;
    readonly services: SettledServices;
  };
