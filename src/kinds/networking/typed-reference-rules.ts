import { checkDnsSubdomain, checkPathSegment, report } from '#api';
import type { FieldErrors } from '#errors';
import { requireText } from '../value-checks.ts';

/** A reference to an object by group, kind and name. */
export interface TypedReference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

export function validateReference({ apiGroup, kind, name }: TypedReference, at: FieldErrors): void {
  if (apiGroup !== undefined && apiGroup !== null) report(at.child('apiGroup'), apiGroup, checkDnsSubdomain(apiGroup));
  if (requireText(kind, at.child('kind'), 'kind is required')) report(at.child('kind'), kind, checkPathSegment(kind));
  if (requireText(name, at.child('name'), 'name is required')) report(at.child('name'), name, checkPathSegment(name));
}
