const TOKENS = 'base64url.bearer.';

/** What a token of a browser begins with, which travels as the name of a protocol. `authorizationGroup`: as it is spelled on the wire. */
export const tokenProtocol = (authorizationGroup: string): string => `${TOKENS}${authorizationGroup}.`;

/** Whether the name of a protocol is a token, for whatever server: not to be repeated to anybody. */
export const isTokenProtocol = (protocol: string): boolean => protocol.startsWith(`${TOKENS}authorization.`);
