import type { Received, ReplyHeaders, Stage } from '#request';
import { varyAlsoBy } from '../vary.ts';
import { withHeaders } from '../with-headers.ts';

export interface CorsOptions {
  /** An origin is allowed when one of these matches it. */
  readonly allowedOrigins: readonly { test(origin: string): boolean }[];
}

const ALLOWED: ReplyHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers': 'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/** Adds CORS headers for the allowed origins. Their preflight requests are answered here, before authentication. */
export function cors<C extends Received>({ allowedOrigins }: CorsOptions): Stage<C> {
  return async (context, next) => {
    const origin = context.headers.get('origin')?.[0];
    if (origin === undefined || !allowedOrigins.some((allowed) => allowed.test(origin))) return next(context);
    const headers = (own: ReplyHeaders): ReplyHeaders => ({ 'access-control-allow-origin': origin, vary: varyAlsoBy('Origin', own), ...ALLOWED });
    if (context.method === 'OPTIONS') return { status: 204, headers: headers({}), body: new Uint8Array(0) };
    const reply = await next(context);
    return withHeaders(reply, headers(reply.headers));
  };
}
