/** Loads the descriptions of schemas on first use. */
export const loadDescriptions = async (): Promise<(message: string, member?: string) => string | undefined> => (await import('./describe.ts')).describeSchema;
