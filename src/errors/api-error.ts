import { REASONS, type Reason } from './reasons.table.ts';

/** One thing that was wrong: machine word, human sentence, and the field it is about in JSON-path form. */
export interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What a failed request was about. Every member is optional and left out of the body when unknown. */
export interface ErrorDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource (plural) where it is known, else the kind, as the API convention has it. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** The wire form of a failure or of a success without an object of its own. */
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

/** What an error is made with beside its words. */
export interface ErrorOptions {
  readonly cause?: unknown;
  readonly code?: number;
  /** Where a list that cannot go on as it was may go on nevertheless. */
  readonly continue?: string;
}

/**
 * The only error that crosses a layer.
 * `code` differs from the table's only where the API reports one reason under several codes.
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

  /** The body a client receives. */
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

/** The code that is answered where this was thrown. */
export const codeOf = (thrown: unknown): number => (thrown instanceof ApiError ? thrown.code : 500);
