import { checkDns1035Label, report } from '#api';
import type { FieldErrors } from '#errors';
import { repeatsIn } from '../repeats.ts';

/** Versions of AdmissionReview and ConversionReview that the server supports, the preferred one first. */
export const REVIEW_VERSIONS = ['v1', 'v1beta1'] as const;
export type ReviewVersion = (typeof REVIEW_VERSIONS)[number];

export const isReviewVersion = (text: string): text is ReviewVersion => (REVIEW_VERSIONS as readonly string[]).includes(text);

/** Validates the versions that a webhook supports: names of versions, each once. `missing`: the message where there are none. */
export function validateReviewVersions(versions: readonly string[], at: FieldErrors, missing?: string): void {
  if (versions.length === 0) at.required(missing);
  const repeats = repeatsIn(versions);
  for (const [position, version] of versions.entries()) {
    if (repeats.has(position)) at.index(position).invalid(version, 'duplicate version');
    else report(at.index(position), version, checkDns1035Label(version));
  }
}

/** Checks that the server supports one of them; an empty list is another fault. */
export function requireSpoken(versions: readonly string[], at: FieldErrors): void {
  if (versions.length > 0 && !versions.some(isReviewVersion)) at.invalid(versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`);
}
