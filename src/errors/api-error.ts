import { REASONS, type Reason } from './reasons.table.ts';

/** One cause of a failure: a machine-readable reason, a message for people, and the path of the field, as in `spec.ports[0].name`. */
export interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The `details` of a Status. Members that are unknown are left out. */
export interface ErrorDetails {
  readonly name?: string;
  readonly group?: string;
  /** By API convention, the resource (plural) where it is known, else the kind. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** The Kubernetes `Status` object: the response body of a failure, or of a success that returns no other object. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: ErrorDetails;
  readonly code?: number;
}

/** Further options of an `ApiError`. */
export interface ErrorOptions {
  readonly cause?: unknown;
  readonly code?: number;
  /** A continue token with which a list whose revision was compacted can go on inconsistently. */
  readonly continue?: string;
}

/**
 * The error for every failure that a client gets: the only one that crosses layers.
 * `code` differs from that of the reasons table only where the API uses one reason with several codes.
 * @spec 7
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: Reason | '';
  readonly code: number;
  readonly details: ErrorDetails | undefined;

  readonly #continue: string | undefined;

  constructor(reason: Reason | '', message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, { cause: options?.cause });
    this.reason = reason;
    this.code = options?.code ?? (reason === '' ? 500 : REASONS[reason].code);
    this.details = details;
    this.#continue = options?.continue;
  }

  /** The response body for the client. */
  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.#continue === undefined ? {} : { continue: this.#continue },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** The HTTP status code of the response to anything that was thrown. */
export const codeOf = (thrown: unknown): number => (thrown instanceof ApiError ? thrown.code : 500);
