import { createAdmissionChain } from '#admission';
import { escalationCheck, Policy } from '#authorization';
import { brandOf, createCatalog, type ObjectAccess, type OpenCatalog } from '#api';
import { createCodecs, createDispatch, trackAs, type Environment } from '#endpoints';
import { openObjectAccess, openRegistries, type Registries, type TrackOwn } from '#registry';
import { SERVER_AGENT, type Identified, type Next, type Received, type TokenIssuer } from '#request';
import type { Engine } from '#storage';
import type { Send } from '#transport';
import { buildAggregation, type BuiltAggregation } from './aggregation.ts';
import { buildPlugins } from './admission-plugins.ts';
import { buildAudit, type BuiltAudit } from './audit/audit.ts';
import { buildAuthentication } from './access/authentication.ts';
import { buildAuthorization } from './access/authorization.ts';
import { buildChain } from './chain.ts';
import { componentsOf } from './component-status.ts';
import { doorHooks } from './access/door-hooks.ts';
import { buildNonResourcePaths } from './non-resource-paths.ts';
import { encodeStatus } from './encode-status.ts';
import { escalationHooks } from './access/escalation.ts';
import { buildFlowControl, type BuiltFlowControl } from './flow-control.ts';
import { followPolicy } from './access/follow-policy.ts';
import { hearOfDefinitions } from './late-definitions.ts';
import { LIMITS } from './limits.table.ts';
import { createLoopback, sendBy } from './loopback.ts';
import { buildMetrics } from './metrics/metrics.ts';
import type { ControllerObserver } from './metrics/controllers.ts';
import { connectSettings } from './node-connections.ts';
import { objectCounts } from './object-counts.ts';
import { keySpaceOf } from './store/open-store.ts';
import type { Settings } from './options.ts';
import { Readiness } from './readiness.ts';
import { servedKinds } from './served-kinds.ts';
import { buildTracing, type BuiltTracing } from './tracing/tracing.ts';

/** An assembled server that does not listen yet. */
export interface BuiltServer {
  readonly catalog: OpenCatalog;
  /** Stored objects, without authentication, authorization and admission. */
  readonly objects: ObjectAccess;
  readonly registries: Registries;
  /** Records managed fields of writes that bypass the request path. */
  readonly trackOwn: TrackOwn;
  readonly readiness: Readiness;
  readonly flowControl: BuiltFlowControl;
  readonly aggregation: BuiltAggregation;
  /** Makes tokens of service accounts. */
  readonly tokenIssuer: TokenIssuer;
  /** Handles requests from outside. */
  readonly handle: Next<Received>;
  /** Handles the server's own requests, without authentication and authorization. */
  readonly dispatch: Next<Identified>;
  /** Sends requests to this server as the server itself. */
  readonly sendToSelf: Send;
  readonly controllerMetrics: ControllerObserver;
  /** Traces of requests; undefined where there are none. */
  readonly tracing: BuiltTracing | undefined;
  /** Audit; undefined where none is configured. */
  readonly audit: BuiltAudit | undefined;
  /**
   * Reads what authorization, admission, flow control and aggregation need from the store, and keeps it current until the signal aborts. To be awaited
   * before requests are decided.
   */
  follow(signal: AbortSignal): Promise<void>;
}

/** Assembles the parts. Opens nothing. */
export function buildServer(settings: Settings, untimed: Engine): BuiltServer {
  const brand = brandOf(settings.dialect);
  const catalog = createCatalog(servedKinds(settings, brand), brand);
  const metrics = buildMetrics(settings, catalog, untimed);
  const { engine } = metrics;
  const policy = new Policy();
  const registries = openRegistries(catalog, engine, settings.clock, {
    keys: keySpaceOf(settings),
    ranges: settings.services,
    ...(settings.serving.deletionWorkers === undefined ? {} : { deletionWorkers: settings.serving.deletionWorkers }),
    allowsPrivileged: settings.doors.privilegedContainers ?? false,
  });
  const trackOwn = trackAs(SERVER_AGENT, settings.clock);
  const objects = openObjectAccess(catalog, registries, trackOwn);
  const authentication = buildAuthentication(settings, brand, objects, metrics.authentication);
  const authorization = buildAuthorization({ settings, brand, objects, policy });
  const { authorizer } = authorization;
  const escalation = escalationHooks(escalationCheck(objects, authorizer, brand));
  const sendToSelf = sendBy(createLoopback((request) => dispatch(request)));
  const surroundings = { brand, objects, catalog, authorizer, clock: settings.clock, sendToSelf };
  const plugins = buildPlugins(settings.admission, { ...surroundings, observer: metrics.admission, log: settings.log, isOn: (feature) => settings.features.get(feature) !== false });
  const codecs = createCodecs(brand);
  const readiness = new Readiness({ engine, clock: settings.clock, livezGraceMs: settings.livezGraceMs });
  const env: Environment = {
    catalog,
    registries,
    admission: createAdmissionChain([...doorHooks(settings, surroundings), ...plugins, escalation], metrics.admission),
    authorizer,
    tokens: { issuer: authentication.issuer, review: authentication.reviewToken },
    codecs,
    clock: settings.clock,
    limits: { ...LIMITS, minWatchSeconds: settings.serving.minWatchSeconds ?? LIMITS.minWatchSeconds },
    connecting: connectSettings(settings.nodes, settings.authentication.requestHeader),
    components: componentsOf(readiness.checks),
    ...hearOfDefinitions({ settings, catalog, registries }),
  };
  const aggregation = buildAggregation({ settings, catalog, objects, registries, readiness, observer: metrics.aggregation });
  const dispatch: Next<Identified> = aggregation.inFront(createDispatch(env, (request) => nonResourcePaths(request)));
  const countObjects = objectCounts(engine, catalog, keySpaceOf(settings), settings.clock);
  const flowControl = buildFlowControl({ settings, brand, objects, readiness, dispatch, countObjects, refused: (request) => metrics.givenUp(request, 429) });
  const audit = buildAudit(settings, catalog, metrics.audit);
  const tracing = buildTracing(settings);
  metrics.flowControl(flowControl.classes);
  const onlookers = { audit: audit?.stages, metrics, tracing: tracing?.stage };
  const nonResourcePaths = buildNonResourcePaths({ settings, catalog, readiness, authentication, flowControl, aggregation, metrics });
  return {
    catalog,
    objects,
    registries,
    trackOwn,
    readiness,
    flowControl,
    aggregation,
    tokenIssuer: authentication.issuer,
    audit,
    tracing,
    controllerMetrics: metrics.controllers,
    dispatch,
    sendToSelf,
    handle: buildChain({ settings, authentication, authorizer, flowControl: flowControl.stage, encode: encodeStatus(codecs, brand), onlookers }, dispatch),
    async follow(signal) {
      signal.addEventListener('abort', () => authentication.close(), { once: true });
      authorization.start(signal);
      await Promise.all([
        readiness.step('poststarthook/generic-apiserver-start-informers', () => followPolicy(objects, policy, signal)),
        flowControl.follow(signal),
        aggregation.follow(signal),
        readiness.step('poststarthook/start-kube-apiserver-admission-initializer', () => Promise.all(plugins.map(async (plugin) => plugin.start?.(signal)))),
      ]);
    },
  };
}
