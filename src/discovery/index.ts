export { createDiscovery, type DiscoveryOptions } from './discovery.ts';
export { prioritiesIn } from './group-priorities.table.ts';
export { versionInfo } from './version.ts';
