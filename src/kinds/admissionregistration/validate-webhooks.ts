import { checkFullyQualifiedName, report, validateLabelSelector, type ApiObject } from '#api';
import type { FieldErrors } from '#errors';
import { isReviewVersion, requireSpoken, REVIEW_VERSIONS, validateReviewVersions } from './review-versions.ts';
import type { Webhook } from './webhook.ts';
import { validateWebhookClient } from './webhook-client.ts';
import { validateWebhookRule } from './webhook-rule.ts';
import { allowOneOf } from '../value-checks.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const HARMLESS_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

interface Configuration extends Pick<ApiObject, 'metadata'> {
  webhooks?: readonly Webhook[] | null | undefined;
}

/** Rules that an update may break where the stored object breaks them already. */
interface Strictness {
  readonly sideEffects: readonly string[];
  readonly speaksReview: boolean;
  readonly hasUniqueNames: boolean;
}

export function validateWebhooks(next: Configuration, live: Configuration | undefined, at: FieldErrors): void {
  const rules = strictnessFrom(live?.webhooks ?? []);
  const names = new Set<string>();
  for (const [position, webhook] of (next.webhooks ?? []).entries()) {
    const place = at.child('webhooks').index(position);
    validateWebhook(webhook, rules, place);
    const reviews = place.child('admissionReviewVersions');
    validateReviewVersions(webhook.admissionReviewVersions ?? [], reviews, `must specify one of ${REVIEW_VERSIONS.join(', ')}`);
    if (rules.speaksReview) requireSpoken(webhook.admissionReviewVersions ?? [], reviews);
    if (rules.hasUniqueNames && webhook.name !== '' && names.has(webhook.name)) place.child('name').duplicate(webhook.name);
    names.add(webhook.name);
  }
}

function strictnessFrom(live: readonly Webhook[]): Strictness {
  const areHarmless = live.every(({ sideEffects }) => sideEffects !== undefined && HARMLESS_SIDE_EFFECTS.includes(sideEffects));
  return {
    sideEffects: areHarmless ? HARMLESS_SIDE_EFFECTS : SIDE_EFFECTS,
    speaksReview: live.map((hook) => hook.admissionReviewVersions ?? []).every((versions) => versions.length === 0 || versions.some(isReviewVersion)),
    hasUniqueNames: new Set(live.map(({ name }) => name)).size === live.length,
  };
}

function validateWebhook(webhook: Webhook, { sideEffects: allowed }: Strictness, at: FieldErrors): void {
  const { name, rules, sideEffects, timeoutSeconds } = webhook;
  if (name === '') at.child('name').required();
  else report(at.child('name'), name, checkFullyQualifiedName(name));
  for (const [position, rule] of (rules ?? []).entries()) validateWebhookRule(rule, at.child('rules').index(position));
  allowOneOf(webhook.failurePolicy, at.child('failurePolicy'), FAILURE_POLICIES);
  allowOneOf(webhook.matchPolicy, at.child('matchPolicy'), MATCH_POLICIES);
  if (sideEffects === undefined || sideEffects === null) at.child('sideEffects').required(`must specify one of ${allowed.join(', ')}`);
  else allowOneOf(sideEffects, at.child('sideEffects'), allowed);
  if (timeoutSeconds !== undefined) validateTimeout(timeoutSeconds, at.child('timeoutSeconds'));
  validateLabelSelector(webhook.namespaceSelector, at.child('namespaceSelector'));
  validateLabelSelector(webhook.objectSelector, at.child('objectSelector'));
  allowOneOf(webhook.reinvocationPolicy, at.child('reinvocationPolicy'), REINVOCATION_POLICIES);
  validateWebhookClient(webhook.clientConfig, at.child('clientConfig'));
}

function validateTimeout(seconds: number, at: FieldErrors): void {
  if (seconds < 1 || seconds > 30) at.invalid(seconds, 'the timeout value must be between 1 and 30 seconds');
}
