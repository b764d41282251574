import type { Received, Stage } from '#request';
import { withHeaders } from '../with-headers.ts';

/**
 * What every answer carries: the request's id for the audit log, and the order to keep answers out of shared caches. Browsers are told to come
 * encrypted only where directives say so.
 */
export function securityHeaders(strictTransport: readonly string[] = []): Stage<Received> {
  const strict = strictTransport.length === 0 ? {} : { 'strict-transport-security': strictTransport.join('; ') };
  return (context, next) =>
    next(context).then((reply) =>
      withHeaders(reply, { 'audit-id': context.id, 'cache-control': reply.headers['cache-control'] ?? 'no-cache, private', ...strict }),
    );
}
