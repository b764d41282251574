import type { ApiObject, Brand } from '#api';
import type { FieldErrors } from '#errors';
import { isRequestUri } from '#schema';
import type { Definition } from './definition-messages.ts';

/** Whether a group belongs to a protected domain of Kubernetes. */
export const isProtectedGroup = (group: string, { names }: Brand): boolean =>
  [names.domain, names.shortDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));

/** A scheme and a host, perhaps behind a user. */
const WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?]*@)?[^/?@]+(?:[/?]|$)/i;

export type Approval = 'approved' | 'unapproved' | 'missing' | 'bogus';

/** The API approval in the annotation of a definition in a protected group. */
export function approvalOf({ metadata }: Pick<ApiObject, 'metadata'>, { names }: Brand): Approval {
  const text = metadata.annotations?.[names.apiApprovedAnnotation] ?? '';
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'unapproved';
  return WITH_HOST.test(text) && isRequestUri(text) ? 'approved' : 'bogus';
}

/** Definitions in protected groups need an approval; one that is wrong already may stay as it is. */
export function validateApproval(next: Definition, live: Definition | undefined, brand: Brand, at: FieldErrors): void {
  if (!isProtectedGroup(next.spec.group, brand)) return;
  const approval = approvalOf(next, brand);
  if (live !== undefined && approvalOf(live, brand) === approval) return;
  const name = brand.names.apiApprovedAnnotation;
  const place = at.key(name);
  if (approval === 'missing') place.required(`protected groups must have approval annotation ${JSON.stringify(name)}, see ${brand.names.apiApprovedHelp}`);
  if (approval === 'bogus') {
    const text = next.metadata.annotations?.[name];
    place.invalid(text, `protected groups must have approval annotation ${JSON.stringify(name)} with either a URL or a reason starting with "unapproved", see ${brand.names.apiApprovedHelp}`);
  }
}
