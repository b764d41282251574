/** The members that every API object has, whatever its schema says. */
export const OBJECT_HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
