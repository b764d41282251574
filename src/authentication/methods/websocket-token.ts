import { unauthorized } from '#errors';
import { tokenProtocol, type Received } from '#request';

const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

/**
 * A token among the subprotocols that a WebSocket client offers, as `base64url.bearer.<group>.<token in base64url>`. A second subprotocol must be
 * offered, since the server has to select one that is no secret. Throws `Unauthorized` where that is missing or the token is malformed or repeated.
 */
export function websocketToken(request: Received, authorizationGroup: string): string | undefined {
  const offered = request.headers.get('sec-websocket-protocol');
  if (offered === undefined || request.headers.get('upgrade')?.[0]?.toLowerCase() !== 'websocket') return undefined;
  const prefix = tokenProtocol(authorizationGroup);
  const protocols = offered.flatMap((line) => line.split(',')).map((one) => one.trim());
  const tokens = protocols.filter((one) => one.startsWith(prefix));
  const encoded = tokens[0]?.slice(prefix.length) ?? '';
  if (tokens.length === 0) return undefined;
  if (tokens.length > 1 || protocols.length < 2 || !BASE64URL.test(encoded)) throw unauthorized();
  return Buffer.from(encoded, 'base64url').toString('utf8');
}
