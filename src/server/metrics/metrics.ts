import type { AdmissionObserver } from '#admission';
import type { Catalog } from '#api';
import type { AuditObserver } from '#audit';
import type { AuthenticationObserver, CredentialObserver } from '#authentication';
import { versionInfo } from '#discovery';
import type { AvailabilityObserver } from '#extensions';
import { Metrics, metricsReply } from '#http';
import type { FlowClasses } from '#flowcontrol';
import type { Reply, Routed, Stage } from '#request';
import type { Engine, KeySpace } from '#storage';
import { keySpaceOf } from '../store/open-store.ts';
import type { Settings } from '../options.ts';
import { admissionMetrics, bothObservers } from './admission.ts';
import { aggregationMetrics } from './aggregation.ts';
import { auditMetrics } from './audit.ts';
import { authenticationMetrics } from './authentication.ts';
import { controllerMetrics, type ControllerObserver } from './controllers.ts';
import { flowControlMetrics } from './flow-control.ts';
import { processMetrics } from './process.ts';
import { requestMetrics, terminationMetrics } from './requests.ts';
import { objectMetrics, storageMetrics } from './storage.ts';

/** The metrics of a server, and the hooks that update them. */
export interface BuiltMetrics {
  /** The same engine, with its operations timed. */
  readonly engine: Engine;
  readonly admission: AdmissionObserver;
  readonly aggregation: AvailabilityObserver;
  readonly audit: AuditObserver;
  readonly controllers: ControllerObserver;
  /** The stage around all that handles a parsed request. */
  readonly requests: Stage<Routed>;
  /** Counts a request that the server rejected with this code to protect itself. */
  givenUp(request: Routed, code: number): void;
  readonly authentication: AuthenticationObserver & CredentialObserver;
  flowControl(classes: FlowClasses | undefined): void;
  /** Answers `/metrics`; `undefined` for other paths. */
  path(request: Routed): Promise<Reply> | undefined;
}

/** @spec 6 */
export function buildMetrics(settings: Settings, catalog: Catalog, engine: Engine): BuiltMetrics {
  const { hiddenSince, ...shown } = settings.metrics;
  const metrics = new Metrics({ ...shown, release: hiddenSince ?? `${versionInfo.major}.${versionInfo.minor}` });
  const keys: KeySpace = keySpaceOf(settings);
  buildInfo(metrics, catalog);
  processMetrics(metrics);
  objectMetrics(metrics, engine, catalog, keys, settings.clock);
  return {
    engine: storageMetrics(metrics, engine, catalog, keys),
    admission: bothObservers(admissionMetrics(metrics), settings.admission.observer),
    aggregation: aggregationMetrics(metrics),
    audit: auditMetrics(metrics),
    controllers: controllerMetrics(metrics),
    requests: requestMetrics(metrics, catalog),
    givenUp: terminationMetrics(metrics, catalog),
    authentication: authenticationMetrics(metrics),
    flowControl: (classes) => flowControlMetrics(metrics, classes),
    path: ({ info: { path } }) => (path === '/metrics' ? metricsReply(metrics) : undefined),
  };
}

function buildInfo(metrics: Metrics, { brand }: Catalog): void {
  const { buildDate, compiler, gitCommit, gitTreeState, gitVersion, goVersion, major, minor, platform } = versionInfo;
  const labels = ['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version', 'go_version', 'major', 'minor', 'platform'];
  metrics
    .gauge(brand.names.buildInfoMetric, '1, with what this server was built from.', labels)
    .withLabels(buildDate, compiler, gitCommit, gitTreeState, gitVersion, goVersion, major, minor, platform)
    .set(1);
}
