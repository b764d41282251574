import { ApiError } from './api-error.ts';
import type { Reason } from './reasons.table.ts';

/** Whether a thrown value is an `ApiError` with one of these reasons. */
export const isRefusal = (thrown: unknown, ...reasons: readonly Reason[]): thrown is ApiError =>
  thrown instanceof ApiError && (reasons as readonly string[]).includes(thrown.reason);
