import { isJsonObject, type JsonObject } from '#base';

/** What a review says it is. */
export interface ReviewName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Whether the response of a webhook is a review of this version; it need not say its kind. */
export const isReviewOf = (answer: unknown, { apiVersion, kind }: ReviewName): answer is JsonObject =>
  isJsonObject(answer) && answer['apiVersion'] === apiVersion && [undefined, '', kind].includes(answer['kind'] as string | undefined);

/** What is wrong with the names of a review, worded as in kube-apiserver; undefined: nothing. `mayBeSilent`: what it does not say is empty, and right. */
export function misnamedReview(found: ReviewName, wanted: ReviewName, mayBeSilent: boolean): string | undefined {
  const fits = (name: keyof ReviewName): boolean => found[name] === wanted[name] || (mayBeSilent && found[name] === '');
  if (fits('apiVersion') && fits('kind')) return undefined;
  return `expected webhook response of ${wanted.apiVersion}, Kind=${wanted.kind}, got ${found.apiVersion === '' ? '/' : found.apiVersion}, Kind=${found.kind}`;
}
