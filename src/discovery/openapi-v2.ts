import type { OpenapiDefinitions, OpenapiVersion } from '#schema';
import { buildDefinitions, type Published } from './definitions.ts';
import { servedGroups } from './groups.ts';
import { withDescriptions, type DescribeSchema } from './openapi-descriptions.ts';
import { buildPaths, type OpenapiPaths } from './openapi-paths.ts';
import { versionInfo } from './version.ts';

/** `/openapi/v2`. @spec 4.9 */
export interface OpenapiV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: OpenapiPaths;
  readonly definitions: OpenapiDefinitions;
  readonly securityDefinitions: Readonly<Record<string, SecurityScheme>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface SecurityScheme {
  readonly description: string;
  readonly type: 'apiKey';
  readonly name: string;
  readonly in: 'header';
}

/**
 * Builds the v2 document. Title and version are those of Kubernetes in any dialect: clients depend on them. `version`: how schemas of custom resources are
 * written, as v3 documents are made of this one and can say more of them.
 */
export async function buildOpenapiV2(catalog: Published, describe: DescribeSchema, version: OpenapiVersion = 'v2'): Promise<OpenapiV2> {
  const { definitions, nameOf } = await buildDefinitions(catalog, version);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: versionInfo.gitVersion },
    paths: await buildPaths(catalog, servedGroups(catalog), { definitions, nameOf }),
    definitions: await withDescriptions(definitions, catalog, describe),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}
