export { createDiscovery, type DiscoveryOptions } from './discovery.ts';
export { prioritiesIn, type Priorities } from './group-priorities.table.ts';
export type { PlacedVersion } from './groups.ts';
export type { OpenapiSource } from './merge-openapi.ts';
export { API_RELEASE, versionInfo, type VersionInfo } from './version.ts';
