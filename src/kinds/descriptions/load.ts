/** The words about schemas; they are not read before somebody wants them. */
export const loadDescriptions = async (): Promise<(message: string, member?: string) => string | undefined> => (await import('./describe.ts')).describeSchema;
