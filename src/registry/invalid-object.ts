import { invalid, type ApiError, type Cause } from '#errors';
import type { Resource } from '#api';

/** The error for an object with faults, in the group that its kind has in errors. */
export const invalidObject = ({ group, kind }: Pick<Resource, 'group' | 'kind'>, name: string, causes: readonly Cause[]): ApiError =>
  invalid({ group: kind.errorGroup ?? group, kind: kind.kind }, name, causes);
