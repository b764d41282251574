import type { Catalog } from '#api';
import { createDiscovery } from '#discovery';
import { createHealth } from '#http';
import type { Identified, Reply } from '#request';
import type { WiredAuthentication } from './access/authentication.ts';
import type { WiredAggregation } from './aggregation.ts';
import type { WiredFlowControl } from './flow-control.ts';
import type { WiredMetrics } from './metrics/metrics.ts';
import type { Settings } from './options.ts';
import type { Readiness } from './readiness.ts';
import { rootPaths } from './root-paths.ts';
import { schemaWords } from './schema-words.ts';
import { externalAddress } from './services/options.ts';

interface Parts {
  readonly settings: Pick<Settings, 'features' | 'listen' | 'services'>;
  readonly catalog: Catalog;
  readonly readiness: Readiness;
  readonly authentication: Pick<WiredAuthentication, 'documents'>;
  readonly flowControl: Pick<WiredFlowControl, 'paths'>;
  readonly aggregation: Pick<WiredAggregation, 'discovery' | 'refreshOpenapi'>;
  readonly metrics: Pick<WiredMetrics, 'path'>;
}

/** Answers paths that are not resources: health, metrics, keys of tokens, flow control, discovery. undefined: not such a path. */
export function buildElsewhere({ settings, catalog, readiness, authentication, flowControl, aggregation, metrics }: Parts): (request: Identified) => Promise<Reply | undefined> {
  const { features, listen, services } = settings;
  const hasOpenapiV3 = features.get('OpenAPIV3') === true;
  const serverAddress = listen === false ? undefined : externalAddress(services, listen);
  const health = createHealth(readiness.checks);
  const words = schemaWords();
  const otherPaths = rootPaths(readiness.checks, hasOpenapiV3);
  const discovery = createDiscovery(catalog, {
    describe: words.describe,
    otherPaths,
    hasOpenapiV3,
    ...(serverAddress === undefined ? {} : { serverAddress }),
    ...aggregation.discovery,
  });
  return async (request) => {
    if (request.info.path.startsWith('/openapi/')) await Promise.all([words.load(), aggregation.refreshOpenapi()]);
    return health(request) ?? metrics.path(request) ?? authentication.documents(request) ?? flowControl.paths(request) ?? discovery(request);
  };
}
