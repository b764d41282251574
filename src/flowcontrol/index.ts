export { flowControlPaths } from './debug-paths.ts';
export type { FlowClass, FlowCounts, RejectReason } from './flow-class.ts';
export { FLOW_KINDS, type FlowClasses, type FlowKind } from './flow-classes.ts';
export { FlowControl, type FlowControlOptions } from './flow-control.ts';
export { inFlightStage, type InFlightLimits } from './in-flight.ts';
export { staleConditions, type SchemaCondition } from './schema-conditions.ts';
export { flowControlStage } from './stage.ts';
export type { CountObjects } from './width.ts';
