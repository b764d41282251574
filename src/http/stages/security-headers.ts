import type { Received, Stage } from '#request';
import { withHeaders } from '../with-headers.ts';

/** What every answer carries: the request's id for the audit log, and the order to keep answers out of shared caches. */
export function securityHeaders(): Stage<Received> {
  return async (context, next) => {
    const reply = await next(context);
    return withHeaders(reply, { 'audit-id': context.id, 'cache-control': reply.headers['cache-control'] ?? 'no-cache, private' });
  };
}
