import type { FieldErrors } from '#errors';
import { isReviewVersion, requireSpoken, validateReviewVersions } from '../admissionregistration/review-versions.ts';
import { validateWebhookClient } from '../admissionregistration/webhook-client.ts';
import { requireOneOf } from '../value-checks.ts';
import type { Conversion } from './definition-messages.ts';

const STRATEGIES = ['None', 'Webhook'];

/** Paths have the field names of v1beta1, as in kube-apiserver. */
export function validateConversion({ strategy, webhook }: Conversion, before: Conversion | undefined, at: FieldErrors): void {
  requireOneOf(strategy, at.child('strategy'), STRATEGIES);
  const client = at.child('webhookClientConfig');
  const reviews = at.child('conversionReviewVersions');
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== 'Webhook') {
    if (webhook?.clientConfig !== undefined) client.forbidden('should not be set when strategy is not set to Webhook');
    if (versions.length > 0) reviews.forbidden('should not be set when strategy is not set to Webhook');
    return;
  }
  if (webhook?.clientConfig === undefined) client.required('required when strategy is set to Webhook');
  else validateWebhookClient(webhook.clientConfig, client);
  validateReviewVersions(versions, reviews);
  const known = before?.webhook?.conversionReviewVersions ?? [];
  if (known.length === 0 || known.some(isReviewVersion)) requireSpoken(versions, reviews);
}
