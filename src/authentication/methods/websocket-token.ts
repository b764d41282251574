import { isUtf8 } from 'node:buffer';
import { unauthorized } from '#errors';
import { headerText, tokenProtocol, type Received } from '#request';

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/**
 * A token among the subprotocols that a WebSocket client offers, as `base64url.bearer.<group>.<token in base64url>`. A second subprotocol must be
 * offered, since the server has to select one that is no secret. Throws `Unauthorized` where that is missing or the token is malformed or repeated.
 */
export function websocketToken(request: Received, authorizationGroup: string): string | undefined {
  const offered = request.headers.get('sec-websocket-protocol');
  if (offered === undefined || !wantsWebsocket(request.headers)) return undefined;
  const prefix = tokenProtocol(authorizationGroup);
  const protocols = offered.flatMap((line) => line.split(',')).map((one) => one.trim());
  const tokens = protocols.filter((one) => one.startsWith(prefix));
  if (tokens.length === 0) return undefined;
  const token = tokens.length > 1 ? undefined : decode(tokens[0]?.slice(prefix.length) ?? '');
  if (token === undefined || (token !== '' && protocols.length < 2)) throw unauthorized();
  return token === '' ? undefined : token;
}

function wantsWebsocket(headers: Received['headers']): boolean {
  const connection = headerText(headers, 'connection').toLowerCase().split(',').map((word) => word.trim());
  return connection.includes('upgrade') && headerText(headers, 'upgrade').toLowerCase() === 'websocket';
}

/** undefined: no base64url without padding, or no UTF-8. */
function decode(encoded: string): string | undefined {
  if (!BASE64URL.test(encoded) || encoded.length % 4 === 1) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
