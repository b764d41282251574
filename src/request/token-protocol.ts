const TOKENS = 'base64url.bearer.';

/** The prefix of a bearer token that a browser sends as the name of a WebSocket subprotocol. `authorizationGroup`: as spelled on the wire. */
export const tokenProtocol = (authorizationGroup: string): string => `${TOKENS}${authorizationGroup}.`;

/** Whether the name of a subprotocol is a bearer token, for any server: it must not be repeated in a response or forwarded. */
export const isTokenProtocol = (protocol: string): boolean => protocol.startsWith(`${TOKENS}authorization.`);
