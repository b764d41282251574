/**
 * One row per failure reason the API knows: the HTTP code it travels under and whether a client may try again unchanged.
 * @spec 7
 */
export const REASONS = {
  BadRequest: { code: 400, retry: 'never' },
  Unauthorized: { code: 401, retry: 'never' },
  Forbidden: { code: 403, retry: 'never' },
  NotFound: { code: 404, retry: 'never' },
  MethodNotAllowed: { code: 405, retry: 'never' },
  NotAcceptable: { code: 406, retry: 'never' },
  AlreadyExists: { code: 409, retry: 'never' },
  Conflict: { code: 409, retry: 'after-read' },
  Gone: { code: 410, retry: 'never' },
  Expired: { code: 410, retry: 'after-list' },
  RequestEntityTooLarge: { code: 413, retry: 'never' },
  UnsupportedMediaType: { code: 415, retry: 'never' },
  Invalid: { code: 422, retry: 'never' },
  TooManyRequests: { code: 429, retry: 'after-delay' },
  InternalError: { code: 500, retry: 'never' },
  ServerTimeout: { code: 500, retry: 'after-delay' },
  ServiceUnavailable: { code: 503, retry: 'after-delay' },
  Timeout: { code: 504, retry: 'after-delay' },
} as const satisfies Readonly<Record<string, ReasonRow>>;

/** The name of a failure, as it stands in `Status.reason`. */
export type Reason = keyof typeof REASONS;

interface ReasonRow {
  readonly code: number;
  readonly retry: 'never' | 'after-read' | 'after-list' | 'after-delay';
}
