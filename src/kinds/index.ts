export * from './index.gen.ts';
export { SYSTEM_PRIORITY_CLASSES } from './scheduling/priority-class.ts';
export { conditionSince } from './core/pod/pod-status.ts';
export { scaleOf, validateScale, type Scale } from './autoscaling/scale.ts';
