import { ApiError } from './api-error.ts';

/** The 500 for what nobody foresaw in a part that clients may be told of. Everywhere else it counts as any failure that is no `ApiError`. */
export class UnforeseenFailure extends ApiError {
  /** `cause` is for the log. */
  constructor(part: string, cause: unknown) {
    const message = `${part} failed`;
    super('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });
  }
}
