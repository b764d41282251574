import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { validateWebhooks } from './validate-webhooks.ts';
import { ValidatingWebhook, WEBHOOK_COLUMNS } from './webhook.ts';
import { ValidatingConfigurationV1Beta1 } from './webhook-v1beta1.ts';

class Body extends t.message('admissionregistration/v1.ValidatingWebhookConfiguration', {
  webhooks: t.many(2, ValidatingWebhook).mergeBy('name'),
}) {}

/** Webhooks that may deny a request. */
export const ValidatingWebhookConfiguration = defineKind(Body, {
  group: 'admissionregistration',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  categories: ['api-extensions'],
  scope: 'Cluster',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: ValidatingConfigurationV1Beta1 } },
  unconditionalUpdate: false,
  repeatsMetadataRules: ['content'],
  takesAnyFinalizer: true,
  generation: ['webhooks'],
  columns: WEBHOOK_COLUMNS,
  validate: validateWebhooks,
});
export type ValidatingWebhookConfiguration = ObjectOf<typeof ValidatingWebhookConfiguration>;
