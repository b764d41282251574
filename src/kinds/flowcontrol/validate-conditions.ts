import type { FieldErrors } from '#errors';

interface Status {
  readonly conditions?: readonly { readonly type?: string }[] | null;
}

/** Checks that condition types are not empty and occur once. `at`: the path of the status. */
export function validateConditionTypes({ conditions }: Status, at: FieldErrors): void {
  const types = new Set<string>();
  for (const [position, { type = '' }] of (conditions ?? []).entries()) {
    const place = at.child('conditions').index(position).child('type');
    if (types.has(type)) place.duplicate(type);
    if (type === '') place.required('must not be empty');
    types.add(type);
  }
}
