export { createDiscovery, type DiscoveryOptions } from './discovery.ts';
export { API_RELEASE, versionInfo, type VersionInfo } from './version.ts';
