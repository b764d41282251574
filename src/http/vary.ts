import type { ReplyHeaders } from '#request';

/** The `vary` header of a response that depends on the request header `name` too, beside what it depends on already. RFC 9110, section 12.5.5 */
export const varyAlsoBy = (name: string, headers: ReplyHeaders): string => [name, headers['vary'] ?? []].flat().join(', ');
