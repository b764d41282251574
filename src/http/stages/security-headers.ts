import { headersOnce, replaceHeaders, type Received, type Reply, type ReplyHeaders, type Stage } from '#request';

/**
 * Adds to every response the request's audit id and `cache-control`, which keeps it out of shared caches; `strict-transport-security` only where
 * directives are configured.
 */
export function securityHeaders(strictTransport: readonly string[] = []): Stage<Received> {
  const strict = strictTransport.length === 0 ? {} : { 'strict-transport-security': strictTransport.join('; ') };
  // With a placeholder for the id: copying an object and setting a property it has is quick, copying one and adding a property is not.
  const guarded = headersOnce((headers) => ({ ...headers, 'cache-control': headers['cache-control'] ?? 'no-cache, private', ...strict, 'audit-id': '' }));
  const identified = (reply: Reply, id: string): Reply => {
    const headers: Record<string, ReplyHeaders[string]> = { ...guarded(reply.headers) };
    headers['audit-id'] = id;
    return replaceHeaders(reply, headers);
  };
  return (context, next) => next(context).then((reply) => identified(reply, context.id));
}
