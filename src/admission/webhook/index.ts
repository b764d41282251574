export { annotateFailedOpen, annotationsOf } from './audit-annotations.ts';
export { changeObject } from './change-object.ts';
export { WebhookDispatcher } from './dispatcher.ts';
export type { Hook } from './hook.ts';
export type { Candidate } from './hook-index.ts';
export { SelectorMatch } from './selector-match.ts';
export { ShownObjects } from './shown-objects.ts';
export { timedCalls } from './timed-calls.ts';
