import { ApiError, REASONS, type ErrorDetails, type Reason } from '#errors';
import { isMap, memberOf, textAt } from './json-value.ts';

/** The failure that a Status body tells of; `value` may be anything a server can answer with. */
export function statusError(value: unknown, status: number): ApiError {
  const reason = textAt(value, 'reason');
  const details = memberOf(value, 'details');
  const told = textAt(value, 'kind') === 'Status' ? textAt(value, 'message') : '';
  const code = memberOf(value, 'code');
  return new ApiError(
    Object.hasOwn(REASONS, reason) ? (reason as Reason) : '',
    told === '' ? 'it gave no reason' : told,
    isMap(details) ? (details as ErrorDetails) : undefined,
    { code: typeof code === 'number' ? code : status },
  );
}
