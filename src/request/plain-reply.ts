import type { Reply, ReplyHeaders } from './context.ts';

/** Of answers that are text whatever was asked for. They may repeat what the caller sent: no browser may take them for something else. */
export const PLAIN_TEXT: ReplyHeaders = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

const encoder = new TextEncoder();

/** An answer that is text whatever was asked for. */
export const plainReply = (status: number, text: string): Reply => ({ status, headers: PLAIN_TEXT, body: encoder.encode(text) });
