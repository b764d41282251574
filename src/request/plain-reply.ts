import type { Reply, ReplyHeaders } from './context.ts';

/**
 * Headers of responses that are plain text whatever the client accepts. They may contain input of the client: `nosniff` keeps browsers from rendering
 * it.
 */
export const PLAIN_TEXT: ReplyHeaders = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

const encoder = new TextEncoder();

/** A response that is plain text whatever the client accepts. */
export const plainReply = (status: number, text: string): Reply => ({ status, headers: PLAIN_TEXT, body: encoder.encode(text) });
