export { flowControlPaths } from './debug-paths.ts';
export { FLOW_KINDS, type FlowClasses } from './flow-classes.ts';
export { FlowControl } from './flow-control.ts';
export { inFlightStage } from './in-flight.ts';
export { staleConditions, type SchemaCondition } from './schema-conditions.ts';
export { flowControlStage } from './stage.ts';
export type { CountObjects } from './width.ts';
