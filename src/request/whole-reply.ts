import type { BodyReply, MadeReply } from './context.ts';

/** The same answer with a body that is there. For those who read answers before they are sent. Rejects where making it fails. */
export async function wholeReply(reply: MadeReply): Promise<BodyReply> {
  const { status, headers, pieces } = reply;
  const body: Uint8Array[] = [];
  for await (const run of pieces) body.push(...run);
  return { status, headers, body };
}
