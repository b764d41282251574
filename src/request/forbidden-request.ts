import { ApiError, forbidden, goQuoted } from '#errors';
import type { Question } from './authorizer.ts';
import { withoutMarkup } from './shown-request.ts';

/** The `Forbidden` error: which user may not use which verb on which resource or path, and where. */
export function forbiddenRequest(question: Question, reason: string): ApiError {
  const { user, verb, group, resource, subresource, namespace, name, path, isResourceRequest } = question;
  const who = `User ${goQuoted(user.name)} cannot`;
  const tail = reason === '' ? '' : `: ${reason}`;
  if (!isResourceRequest) {
    return new ApiError('Forbidden', `forbidden: ${withoutMarkup(`${who} ${verb} path ${goQuoted(path)}`)}${tail}`, {});
  }
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuoted(namespace)}`;
  const why = withoutMarkup(`${who} ${verb} resource ${goQuoted(what)} in API group ${goQuoted(group)} ${where}`);
  return forbidden({ group, resource }, name, `${why}${tail}`);
}
