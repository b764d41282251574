import { LabelSelector, type Column } from '#api';
import { t } from '#schema';
import { WebhookClientConfig } from './webhook-client.ts';
import { RuleWithOperations } from './webhook-rule.ts';

const TIMEOUT_SECONDS = 10;

export interface Selectors {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

/** Defaults absent selectors to those that select everything. */
export function fillSelectors(webhook: Selectors): void {
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
}

/** A server that may deny requests. */
export class ValidatingWebhook extends t.message(
  'admissionregistration/v1.ValidatingWebhook',
  {
    name: t.string(1).required(),
    clientConfig: t.one(2, WebhookClientConfig).required(),
    rules: t.many(3, RuleWithOperations),
    failurePolicy: t.maybe.string(4).default('Fail'),
    matchPolicy: t.maybe.string(9).default('Equivalent'),
    namespaceSelector: t.perhaps(5, LabelSelector),
    objectSelector: t.perhaps(10, LabelSelector),
    sideEffects: t.maybe.string(6).required(),
    timeoutSeconds: t.maybe.int32(7).default(TIMEOUT_SECONDS),
    admissionReviewVersions: t.strings(8).required(),
  },
  { defaults: fillSelectors },
) {}

/** A server that may also change the object of a request. */
export class MutatingWebhook extends t.message(
  'admissionregistration/v1.MutatingWebhook',
  {
    name: t.string(1).required(),
    clientConfig: t.one(2, WebhookClientConfig).required(),
    rules: t.many(3, RuleWithOperations),
    failurePolicy: t.maybe.string(4).default('Fail'),
    matchPolicy: t.maybe.string(9).default('Equivalent'),
    namespaceSelector: t.perhaps(5, LabelSelector),
    objectSelector: t.perhaps(11, LabelSelector),
    sideEffects: t.maybe.string(6).required(),
    timeoutSeconds: t.maybe.int32(7).default(TIMEOUT_SECONDS),
    admissionReviewVersions: t.strings(8).required(),
    reinvocationPolicy: t.maybe.string(10).default('Never'),
  },
  { defaults: fillSelectors },
) {}

/** A webhook of either kind, for validation. */
export type Webhook = ValidatingWebhook & Partial<Pick<MutatingWebhook, 'reinvocationPolicy'>>;

export const WEBHOOK_COLUMNS: readonly Column<{ webhooks?: readonly unknown[] | null }>[] = [
  { name: 'Webhooks', type: 'integer', description: 'How many webhooks the configuration has.', cell: ({ webhooks }) => webhooks?.length ?? 0 },
];
