import { isJsonObject } from '#base';
import { ApiError, REASONS, type ErrorDetails, type Reason } from '#errors';
import { memberIn, textAt } from './json-value.ts';

/** The failure that a Status body tells of; `value` may be anything a server can answer with. */
export function statusError(value: unknown, status: number): ApiError {
  const reason = textAt(value, 'reason');
  const details = memberIn(value, 'details');
  const told = textAt(value, 'kind') === 'Status' ? textAt(value, 'message') : '';
  const code = memberIn(value, 'code');
  return new ApiError(
    Object.hasOwn(REASONS, reason) ? (reason as Reason) : '',
    told === '' ? 'it gave no reason' : told,
    isJsonObject(details) ? (details as ErrorDetails) : undefined,
    { code: typeof code === 'number' ? code : status },
  );
}
