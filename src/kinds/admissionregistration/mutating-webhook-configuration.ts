import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { validateWebhooks } from './validate-webhooks.ts';
import { MutatingWebhook, WEBHOOK_COLUMNS } from './webhook.ts';
import { MutatingConfigurationV1Beta1 } from './webhook-v1beta1.ts';

class Body extends t.message('admissionregistration/v1.MutatingWebhookConfiguration', {
  webhooks: t.many(2, MutatingWebhook).mergeBy('name'),
}) {}

/** Webhooks that may change a request's object. */
export const MutatingWebhookConfiguration = defineKind(Body, {
  group: 'admissionregistration',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  categories: ['api-extensions'],
  scope: 'Cluster',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: MutatingConfigurationV1Beta1 } },
  unconditionalUpdate: false,
  repeatsMetadataRules: ['content'],
  takesAnyFinalizer: true,
  generation: ['webhooks'],
  columns: WEBHOOK_COLUMNS,
  validate: validateWebhooks,
});
export type MutatingWebhookConfiguration = ObjectOf<typeof MutatingWebhookConfiguration>;
