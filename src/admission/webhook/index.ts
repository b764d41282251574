export { annotateFailedOpen, annotationsOf } from './audit-annotations.ts';
export { changeObject } from './change-object.ts';
export { WebhookDispatcher } from './dispatcher.ts';
export { toWebhookForm, type Form } from './form.ts';
export type { Hook } from './hook.ts';
export type { Candidate } from './hook-index.ts';
export type { ReviewedObjects } from './review.ts';
export { SelectorMatch } from './selector-match.ts';
export { timedCalls } from './timed-calls.ts';
