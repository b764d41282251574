import type { ApiObject, Brand } from '#api';
import { goQuoted, type FieldErrors } from '#errors';
import { isRequestUri } from '#schema';
import type { Definition } from './definition-messages.ts';

/** Whether a group belongs to a protected domain of Kubernetes. */
export const isProtectedGroup = (group: string, { names }: Brand): boolean =>
  [names.domain, names.shortDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));

/** A scheme and a host, perhaps behind a user. */
const WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?]*@)?[^/?@]+(?:[/?]|$)/i;

export type Approval = 'approved' | 'unapproved' | 'missing' | 'bogus';

/** The API approval in the annotation of a definition in a protected group, and the words in which it is told. */
export function approvalOf({ metadata }: Pick<ApiObject, 'metadata'>, { names }: Brand): { readonly approval: Approval; readonly told: string } {
  const text = metadata.annotations?.[names.apiApprovedAnnotation] ?? '';
  const wanted = `protected groups must have approval annotation ${goQuoted(names.apiApprovedAnnotation)}`;
  if (text === '') return { approval: 'missing', told: `${wanted}, see ${names.apiApprovedHelp}` };
  if (text.startsWith('unapproved')) return { approval: 'unapproved', told: `not approved: ${goQuoted(text)}` };
  if (WITH_HOST.test(text) && isRequestUri(text)) return { approval: 'approved', told: `approved in ${text}` };
  return { approval: 'bogus', told: `${wanted} with either a URL or a reason starting with "unapproved", see ${names.apiApprovedHelp}` };
}

/** Definitions in protected groups need an approval; one that is wrong already may stay as it is. */
export function validateApproval(next: Definition, live: Definition | undefined, brand: Brand, at: FieldErrors): void {
  if (!isProtectedGroup(next.spec.group, brand)) return;
  const { approval, told } = approvalOf(next, brand);
  if (live !== undefined && approvalOf(live, brand).approval === approval) return;
  const name = brand.names.apiApprovedAnnotation;
  if (approval === 'missing') at.key(name).required(told);
  if (approval === 'bogus') at.key(name).invalid(next.metadata.annotations?.[name], told);
}
