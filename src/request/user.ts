/** Who asks. @spec 5.1 */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The server on its own account. Recognized by being this very object: nobody becomes it by bearing its name. */
export const SERVER_ITSELF: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };
