import { goQuoted } from '#errors';
import { plainReply, uriOf, withoutMarkup, type Received, type Reply } from '#request';

/** 500 as text, which is how kube-apiserver answers what fails before a request reaches its resource. */
export const plainFailure = (request: Received, why: string): Reply =>
  plainReply(500, withoutMarkup(`Internal Server Error: ${goQuoted(uriOf(request))}: ${why}\n`));
