/**
 * One row per failure reason the API knows, with its HTTP code.
 * @spec 7
 */
export const REASONS = {
  BadRequest: { code: 400 },
  Unauthorized: { code: 401 },
  Forbidden: { code: 403 },
  NotFound: { code: 404 },
  MethodNotAllowed: { code: 405 },
  NotAcceptable: { code: 406 },
  AlreadyExists: { code: 409 },
  Conflict: { code: 409 },
  Gone: { code: 410 },
  Expired: { code: 410 },
  RequestEntityTooLarge: { code: 413 },
  UnsupportedMediaType: { code: 415 },
  Invalid: { code: 422 },
  TooManyRequests: { code: 429 },
  InternalError: { code: 500 },
  ServerTimeout: { code: 500 },
  ServiceUnavailable: { code: 503 },
  Timeout: { code: 504 },
} as const satisfies Readonly<Record<string, { readonly code: number }>>;

/** The reason of a failure, as in `Status.reason`. */
export type Reason = keyof typeof REASONS;
