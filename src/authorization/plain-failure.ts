import { goQuoted } from '#errors';
import { uriOf, withoutMarkup, type Received, type Reply } from '#request';

/** 500 as text, which is how kube-apiserver answers what fails before a request reaches its resource. */
export function plainFailure(request: Received, why: string): Reply {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { status: 500, headers, body: new TextEncoder().encode(withoutMarkup(`Internal Server Error: ${goQuoted(uriOf(request))}: ${why}\n`)) };
}
