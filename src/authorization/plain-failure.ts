import { goQuoted } from '#errors';
import { plainReply, uriOf, withoutMarkup, type Received, type Reply } from '#request';

/** A 500 as plain text, as kube-apiserver reports failures of its filters, before a request reaches its resource. */
export const plainFailure = (request: Received, why: string): Reply =>
  plainReply(500, withoutMarkup(`Internal Server Error: ${goQuoted(uriOf(request))}: ${why}\n`));
