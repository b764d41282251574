import type { Catalog } from '#api';
import type { Identified } from '#request';
import type { Route } from './route.ts';

/** Warns the client of a deprecated version, and annotates the audit event. @spec 9 */
export function warnOfDeprecation(request: Identified, { resource, served }: Route, deprecated: NonNullable<Route['served']['deprecated']>, { brand }: Catalog): void {
  request.annotate(brand.names.deprecatedAnnotation, 'true');
  if (deprecated.goneIn !== undefined) request.annotate(brand.names.removedReleaseAnnotation, deprecated.goneIn);
  const { kind } = resource.kind;
  const replacement = resource.versions.find(({ version }) => version === deprecated.use);
  const end = deprecated.goneIn === undefined ? '' : `, unavailable in v${deprecated.goneIn}+`;
  const advice = replacement === undefined ? '' : `; use ${replacement.apiVersion} ${kind}`;
  request.warn(`${served.apiVersion} ${kind} is deprecated in v${deprecated.since}+${end}${advice}`);
}
