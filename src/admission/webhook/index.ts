export { changeObject } from './change-object.ts';
export { WebhookDesk } from './desk.ts';
export { lower, type Form } from './form.ts';
export type { Hook } from './hook.ts';
export type { Candidate } from './hook-index.ts';
export type { Shown } from './review.ts';
export { Selection } from './selected.ts';
export { traceFailedOpen, traceOf } from './traces.ts';
