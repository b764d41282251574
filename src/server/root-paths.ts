import type { HealthCheck } from '#http';

const PATHS = ['/.well-known/openid-configuration', '/logs', '/metrics', '/openapi/v2', '/openid/v1/jwks'];

/** The paths that `/` lists beside discovery: all non-resource paths of this server, as kube-apiserver does. */
export function rootPaths(checks: readonly HealthCheck[], hasOpenapiV3: boolean): readonly string[] {
  const below = (probe: string, hidden: HealthCheck['only']): readonly string[] => [
    `/${probe}`,
    ...checks.filter(({ only }) => only === undefined || only !== hidden).map(({ name }) => `/${probe}/${name}`),
  ];
  return [...PATHS, ...(hasOpenapiV3 ? ['/openapi/v3'] : []), ...below('healthz', 'readyz'), ...below('livez', 'readyz'), ...below('readyz', 'livez')];
}
