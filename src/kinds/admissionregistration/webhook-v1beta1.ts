import { LabelSelector } from '#api';
import { t } from '#schema';
import { fillSelectors, type Selectors } from './webhook.ts';
import { WebhookClientConfig } from './webhook-client.ts';
import { RuleWithOperations } from './webhook-rule.ts';

const TIMEOUT_SECONDS = 30;

/** Fields of both kinds of webhooks. */
const MEMBERS = {
  name: t.string(1).required(),
  clientConfig: t.one(2, WebhookClientConfig).required(),
  rules: t.many(3, RuleWithOperations),
  failurePolicy: t.maybe.string(4).default('Ignore'),
  matchPolicy: t.maybe.string(9).default('Exact'),
  namespaceSelector: t.perhaps(5, LabelSelector),
  sideEffects: t.maybe.string(6).default('Unknown'),
  timeoutSeconds: t.maybe.int32(7).default(TIMEOUT_SECONDS),
  admissionReviewVersions: t.strings(8),
};

interface Filled extends Selectors {
  admissionReviewVersions?: string[] | null;
}

function fill(webhook: Filled): void {
  fillSelectors(webhook);
  if ((webhook.admissionReviewVersions ?? []).length === 0) webhook.admissionReviewVersions = ['v1beta1'];
}

class ValidatingWebhook extends t.message(
  'admissionregistration/v1beta1.ValidatingWebhook',
  { ...MEMBERS, objectSelector: t.perhaps(10, LabelSelector) },
  { defaults: fill },
) {}

class MutatingWebhook extends t.message(
  'admissionregistration/v1beta1.MutatingWebhook',
  { ...MEMBERS, objectSelector: t.perhaps(11, LabelSelector), reinvocationPolicy: t.maybe.string(10).default('Never') },
  { defaults: fill },
) {}

export class ValidatingConfigurationV1Beta1 extends t.message('admissionregistration/v1beta1.ValidatingWebhookConfiguration', {
  webhooks: t.many(2, ValidatingWebhook).mergeBy('name'),
}) {}

export class MutatingConfigurationV1Beta1 extends t.message('admissionregistration/v1beta1.MutatingWebhookConfiguration', {
  webhooks: t.many(2, MutatingWebhook).mergeBy('name'),
}) {}
