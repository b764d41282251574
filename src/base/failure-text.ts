/** The message of anything that was thrown. */
export const failureText = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
