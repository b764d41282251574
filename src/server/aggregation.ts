import { checkCertificatePair, every, failureText } from '#base';
import type { ObjectAccess, OpenCatalog } from '#api';
import { prioritiesIn, type DiscoveryOptions, type OpenapiOptions } from '#discovery';
import { forwardRequest } from '#endpoints';
import { AggregatedApis, type AvailabilityObserver, type ProxyCertificate } from '#extensions';
import type { Registries } from '#registry';
import type { Identified, Next } from '#request';
import { givenAuthorities, publishAuthenticationInfo, type Authorities } from './access/authentication-info.ts';
import type { Settings } from './options.ts';
import { handOnSettings } from './node-connections.ts';
import type { Readiness } from './readiness.ts';

interface AggregationParts {
  readonly settings: Settings;
  readonly catalog: OpenCatalog;
  readonly objects: ObjectAccess;
  readonly registries: Registries;
  readonly readiness: Readiness;
  readonly observer: AvailabilityObserver;
}

export interface BuiltAggregation {
  /** Proxies requests for aggregated APIs, and passes all others to `next`. */
  inFront(next: Next<Identified>): Next<Identified>;
  /** What discovery needs to know about other servers. */
  readonly discovery: Required<Pick<DiscoveryOptions, 'placed'> & Pick<OpenapiOptions, 'openapiSources'>>;
  /** To be awaited before the OpenAPI document is answered. */
  refreshOpenapi(): Promise<void>;
  /** Publishes the authorities of clients and proxies to the aggregated API servers from now on. */
  tell(authorities: Partial<Authorities>): void;
  /** Reads APIServices and follows them until the signal aborts. To be awaited before requests are served: until then other servers' APIs do not exist. */
  follow(signal: AbortSignal): Promise<void>;
  /** Registers this server's own APIs and watches over those of others until the signal aborts. Rejects where the proxy certificate is invalid. */
  start(signal: AbortSignal): Promise<void>;
}

/** Puts together what is needed to serve APIs of other servers. Opens nothing. */
export function buildAggregation({ settings, catalog, objects, registries, readiness, observer }: AggregationParts): BuiltAggregation {
  const { clock, log } = settings;
  const { proxyCertificate } = settings.aggregation;
  const onward = handOnSettings(settings.authentication.requestHeader);
  const apis = new AggregatedApis({
    catalog,
    objects,
    registries,
    clock,
    log,
    observer,
    prioritiesOf: prioritiesIn(catalog.brand),
    handOn: (request, to) => forwardRequest(request, { ...to, mustUpgrade: false, base: undefined }, onward),
    ...(proxyCertificate === undefined ? {} : { certificate: proxyCertificate }),
  });
  const { table, openapi, proxy } = apis;
  let authorities = givenAuthorities(settings);
  const publish = (): Promise<void> => publishAuthenticationInfo(objects, catalog.brand, settings, authorities);
  const publishAgain = (): Promise<void> => publish().catch((cause: unknown) => log.warn('other servers could not be told who vouches for clients, trying again', { cause }));
  return {
    inFront: (next) => (request) => proxy(request) ?? next(request),
    discovery: { placed: () => table.placed, openapiSources: () => openapi.all },
    refreshOpenapi: async () => {
      if (table.elsewhere.size > 0 || openapi.all.length > 0) await openapi.refresh();
    },
    tell({ clientCa, proxyCa }) {
      authorities = { clientCa, proxyCa };
      void publishAgain();
    },
    follow: (signal) => readiness.step('poststarthook/start-kube-aggregator-informers', () => apis.follow(signal)),
    async start(signal) {
      await readiness.step('poststarthook/aggregator-reload-proxy-client-cert', async () => checkCertificate(proxyCertificate));
      // From here on requests are routed by the stored APIServices.
      await readiness.step('poststarthook/apiservice-registration-controller', async () => {});
      await Promise.all([
        readiness.step('poststarthook/start-cluster-authentication-info-controller', publish),
        readiness.step('poststarthook/apiservice-status-available-controller', async () => apis.watchOver(signal)),
        readiness.step('autoregister-completion', () => readiness.step('poststarthook/kube-apiserver-autoregistration', () => apis.register(signal))),
        readiness.step('poststarthook/apiservice-openapi-controller', async () => {}),
      ]);
      every(clock, PUBLISH_EVERY_MS, publishAgain, signal);
    },
  };
}

/** The published ConfigMap is restored this often, also after a write that failed. */
const PUBLISH_EVERY_MS = 60_000;

function checkCertificate(pair: ProxyCertificate | undefined): void {
  try {
    if (pair !== undefined) checkCertificatePair(pair);
  } catch (cause) {
    throw new Error(`the certificate to be shown to aggregated APIs and its key cannot be used: ${failureText(cause)}`, { cause });
  }
}
