import { headersOnce, replaceHeaders, type Received, type Reply, type Stage } from '#request';

/**
 * What every answer carries: the request's id for the audit log, and the order to keep answers out of shared caches. Browsers are told to come
 * encrypted only where directives say so.
 */
export function securityHeaders(strictTransport: readonly string[] = []): Stage<Received> {
  const strict = strictTransport.length === 0 ? {} : { 'strict-transport-security': strictTransport.join('; ') };
  // With a place for the id: to copy an object and to set what it has is quick, to copy one and to add something is not.
  const guarded = headersOnce((headers) => ({ ...headers, 'cache-control': headers['cache-control'] ?? 'no-cache, private', ...strict, 'audit-id': '' }));
  const identified = (reply: Reply, id: string): Reply => {
    const headers: Record<string, string> = { ...guarded(reply.headers) };
    headers['audit-id'] = id;
    return replaceHeaders(reply, headers);
  };
  return (context, next) => next(context).then((reply) => identified(reply, context.id));
}
