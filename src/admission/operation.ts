/** @spec 4.11 */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
