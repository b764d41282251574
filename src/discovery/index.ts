export { createDiscovery, type DiscoveryOptions } from './discovery.ts';
export { createOpenapi, type OpenapiOptions } from './openapi.ts';
export { prioritiesIn } from './group-priorities.table.ts';
export { versionInfo } from './version.ts';
