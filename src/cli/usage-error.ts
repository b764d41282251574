/** A mistake of the caller: its message is all that is shown, and the exit code is that of wrong usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
