import { createAdmissionChain } from '#admission';
import { escalationCheck, Policy } from '#authorization';
import { brandOf, createCatalog, type Brand, type Catalog, type KindDefinition, type ObjectAccess, type OpenCatalog } from '#api';
import { indented, negotiateError, pretty } from '#codec';
import { createDiscovery } from '#discovery';
import { createCodecs, createDispatch, trackAs, type Codecs, type Environment } from '#endpoints';
import { createHealth, type EncodeStatus } from '#http';
import { allKinds } from '#kinds';
import { openObjectAccess, openRegistries, type Registries, type TrackOwn } from '#registry';
import { wantsPretty, type Identified, type Next, type Received, type Reply, type TokenIssuer } from '#request';
import type { Engine } from '#storage';
import { buildAggregation, type WiredAggregation } from './aggregation.ts';
import { buildPlugins } from './admission-plugins.ts';
import { buildAudit, type WiredAudit } from './audit/audit.ts';
import { buildAuthentication, type WiredAuthentication } from './access/authentication.ts';
import { buildAuthorization } from './access/authorization.ts';
import { buildChain } from './chain.ts';
import { componentsOf } from './component-status.ts';
import { doorHooks } from './access/door-hooks.ts';
import { escalationHooks } from './access/escalation.ts';
import { buildFlowControl, type WiredFlowControl } from './flow-control.ts';
import { followPolicy } from './access/follow-policy.ts';
import { withoutGatedFields } from './gated-fields.ts';
import { LIMITS } from './limits.table.ts';
import { SELF } from './loopback.ts';
import { buildMetrics, type WiredMetrics } from './metrics/metrics.ts';
import type { ControllerObserver } from './metrics/controllers.ts';
import { connectSettings } from './node-connections.ts';
import { objectCounts } from './object-counts.ts';
import { keySpaceOf } from './store/open-store.ts';
import type { Settings } from './options.ts';
import { Readiness } from './readiness.ts';
import { rootPaths } from './root-paths.ts';
import { configureKinds } from './runtime-config.ts';
import { schemaWords } from './schema-words.ts';
import { rangesOf } from './services/options.ts';
import { buildTracing, type WiredTracing } from './tracing/tracing.ts';

/** A server put together, not yet listening. */
export interface Wired {
  readonly catalog: OpenCatalog;
  /** The stored objects, past the gates. */
  readonly objects: ObjectAccess;
  readonly registries: Registries;
  /** Notes what the server writes past the gates. */
  readonly trackOwn: TrackOwn;
  readonly readiness: Readiness;
  readonly flowControl: WiredFlowControl;
  readonly aggregation: WiredAggregation;
  /** Makes tokens of service accounts. */
  readonly tokenIssuer: TokenIssuer;
  /** The way of requests from outside. */
  readonly handle: Next<Received>;
  /** Past the gates: what the server asks of itself. */
  readonly dispatch: Next<Identified>;
  readonly controllerMetrics: ControllerObserver;
  /** Traces of requests; undefined where there are none. */
  readonly tracing: WiredTracing | undefined;
  /** What is kept of requests; undefined where nothing is. */
  readonly audit: WiredAudit | undefined;
  /** Reads what decisions need from the store, and keeps it current until the signal aborts. To be awaited before anything is decided. */
  follow(signal: AbortSignal): Promise<void>;
}

/** Puts the parts together. Opens nothing. */
export function wire(settings: Settings, untimed: Engine): Wired {
  const brand = brandOf(settings.dialect);
  const catalog = createCatalog(configureKinds(withEventTtl(withoutGatedFields([...allKinds, ...settings.kinds], settings.features), settings.serving.eventTtlSeconds), brand, settings.runtimeConfig), brand);
  const metrics = buildMetrics(settings, catalog, untimed);
  const { engine } = metrics;
  const policy = new Policy();
  const registries = openRegistries(catalog, engine, settings.clock, {
    keys: keySpaceOf(settings),
    ranges: rangesOf(settings.services),
    ...(settings.serving.deletionWorkers === undefined ? {} : { deletionWorkers: settings.serving.deletionWorkers }),
    allowsPrivileged: settings.doors.privilegedContainers ?? false,
  });
  const trackOwn = trackAs(SELF.agent, settings.clock);
  const objects = openObjectAccess(catalog, registries, trackOwn);
  const authentication = buildAuthentication(settings, brand, objects);
  const authorization = buildAuthorization({ settings, brand, objects, policy });
  const { authorizer } = authorization;
  const escalation = escalationHooks(escalationCheck(policy, authorizer, brand));
  const surroundings = { brand, objects, catalog, authorizer, clock: settings.clock };
  const plugins = buildPlugins(settings.admission, surroundings);
  const codecs = createCodecs(brand);
  const readiness = new Readiness({ engine, clock: settings.clock, livezGraceMs: settings.livezGraceMs });
  const env: Environment = {
    catalog,
    registries,
    admission: createAdmissionChain([escalation, ...doorHooks(settings, surroundings), ...plugins], metrics.admission),
    authorizer,
    tokens: { issuer: authentication.issuer, review: authentication.reviewToken },
    codecs,
    clock: settings.clock,
    limits: { ...LIMITS, minWatchSeconds: settings.serving.minWatchSeconds ?? LIMITS.minWatchSeconds },
    connecting: connectSettings(settings.nodes, settings.authentication.requestHeader),
    components: componentsOf(readiness.checks),
  };
  const aggregation = buildAggregation({ settings, catalog, objects, registries, readiness });
  const dispatch: Next<Identified> = aggregation.inFront(createDispatch(env, (request) => elsewhere(request)));
  const countObjects = objectCounts(engine, catalog, keySpaceOf(settings), settings.clock);
  const flowControl = buildFlowControl({ settings, brand, objects, readiness, dispatch, countObjects });
  const audit = buildAudit(settings, catalog, metrics.audit);
  const tracing = buildTracing(settings);
  metrics.flowControl(flowControl.classes);
  const elsewhere = buildElsewhere(catalog, readiness, authentication, flowControl, aggregation, metrics, settings.features.get('OpenAPIV3') === true);
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
    handle: buildChain(settings, authentication, authorizer, flowControl.stage, encodeStatus(codecs, brand), dispatch, { audit: audit?.stages, metrics, tracing: tracing?.stage }),
    async follow(signal) {
      signal.addEventListener('abort', () => authentication.close(), { once: true });
      authorization.start(signal);
      await Promise.all([
        readiness.step('poststarthook/generic-apiserver-start-informers', () => followPolicy(objects, policy, signal)),
        flowControl.follow(signal),
        readiness.step('poststarthook/start-kube-apiserver-admission-initializer', () => Promise.all(plugins.map(async (plugin) => plugin.start?.(signal)))),
      ]);
    },
  };
}

/** Events are what goes by itself, in both of their groups. */
const withEventTtl = (kinds: readonly KindDefinition[], ttlSeconds: number | undefined): readonly KindDefinition[] =>
  ttlSeconds === undefined ? kinds : kinds.map((kind) => (kind.ttlSeconds === undefined ? kind : { ...kind, ttlSeconds }));

/** Paths that are not resources. */
function buildElsewhere(
  catalog: Catalog,
  readiness: Readiness,
  { documents }: WiredAuthentication,
  flowControl: WiredFlowControl,
  aggregation: WiredAggregation,
  metrics: WiredMetrics,
  hasOpenapiV3: boolean,
): (request: Identified) => Promise<Reply | undefined> {
  const health = createHealth(readiness.checks);
  const words = schemaWords();
  const otherPaths = rootPaths(readiness.checks, hasOpenapiV3);
  const discovery = createDiscovery(catalog, { describe: words.describe, otherPaths, hasOpenapiV3, ...aggregation.discovery });
  return async (request) => {
    if (request.info.path.startsWith('/openapi/')) await Promise.all([words.load(), aggregation.refreshOpenapi()]);
    return health(request) ?? metrics.path(request) ?? documents(request) ?? flowControl.paths(request) ?? discovery(request);
  };
}

/** Failures in the form the caller asked for, JSON for people where that cannot be. */
function encodeStatus(codecs: Codecs, brand: Brand): EncodeStatus {
  return (status, request) => {
    const negotiated = negotiateError(request.headers.get('accept')?.[0], brand) ?? { codec: 'json', pretty: true };
    const shown = indented(negotiated, wantsPretty(request));
    const codec = codecs[shown.codec];
    const body = codec.encodeStatus(status);
    return { contentType: codec.mediaType, body: shown.codec === 'json' && shown.pretty === true ? pretty(body) : body };
  };
}
