/** Wrong usage: only the message is shown, and the process ends with `EXIT.usage`. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
