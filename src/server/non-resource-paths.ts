import type { Catalog } from '#api';
import { createDiscovery, createOpenapi } from '#discovery';
import { createHealth } from '#http';
import type { Identified, Reply } from '#request';
import type { BuiltAuthentication } from './access/authentication.ts';
import type { BuiltAggregation } from './aggregation.ts';
import type { BuiltFlowControl } from './flow-control.ts';
import type { BuiltMetrics } from './metrics/metrics.ts';
import type { Settings } from './options.ts';
import type { Readiness } from './readiness.ts';
import { rootPaths } from './root-paths.ts';
import { schemaWords } from './schema-words.ts';
import { externalAddress } from './services/options.ts';

interface Parts {
  readonly settings: Pick<Settings, 'features' | 'listen' | 'log' | 'services'>;
  readonly catalog: Catalog;
  readonly readiness: Readiness;
  readonly authentication: Pick<BuiltAuthentication, 'documents'>;
  readonly flowControl: Pick<BuiltFlowControl, 'paths'>;
  readonly aggregation: Pick<BuiltAggregation, 'discovery' | 'refreshOpenapi'>;
  readonly metrics: Pick<BuiltMetrics, 'path'>;
}

/** Answers non-resource paths: health, metrics, JWKS, flow control, discovery. Returns undefined for other paths. */
export function buildNonResourcePaths(parts: Parts): (request: Identified) => Promise<Reply | undefined> {
  const { settings: { features, listen, log, services }, catalog, readiness, authentication, flowControl, aggregation, metrics } = parts;
  const hasOpenapiV3 = features.get('OpenAPIV3') === true;
  const serverAddress = listen === false ? undefined : externalAddress(services, listen);
  const health = createHealth(readiness.checks);
  const words = schemaWords(log);
  const otherPaths = rootPaths(readiness.checks, hasOpenapiV3);
  const { placed, openapiSources } = aggregation.discovery;
  const discovery = createDiscovery(catalog, { otherPaths, placed, ...(serverAddress === undefined ? {} : { serverAddress }) });
  const openapi = createOpenapi(catalog, { describe: words.describe, openapiSources, hasOpenapiV3 });
  return async (request) => {
    if (request.info.path.startsWith('/openapi/')) {
      await Promise.all([words.load(), aggregation.refreshOpenapi()]);
      return openapi(request);
    }
    return health(request) ?? metrics.path(request) ?? authentication.documents(request) ?? flowControl.paths(request) ?? discovery(request);
  };
}
