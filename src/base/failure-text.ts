/** The message of anything that was thrown. */
export const failureText = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The same with where it was thrown, for a log. */
export const failureStack = (thrown: unknown): string => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
