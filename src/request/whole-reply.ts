import type { BodyReply, MadeReply } from './context.ts';

/** The same response with a complete body, for callers that read responses before they are sent. Rejects where producing the body fails. */
export async function wholeReply(reply: MadeReply): Promise<BodyReply> {
  const { status, headers, pieces } = reply;
  const body: Uint8Array[] = [];
  for await (const run of pieces) body.push(...run);
  return { status, headers, body };
}
