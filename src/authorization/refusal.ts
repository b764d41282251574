import { ApiError, forbidden } from '#errors';
import type { Question } from '#request';

/** The sentence a caller reads: who, may not do what, to which resource, where. */
export function refusal(question: Question, reason: string): ApiError {
  const { user, verb, group, resource, subresource, namespace, name, path, isResourceRequest } = question;
  const who = `User ${JSON.stringify(user.name)} cannot`;
  const tail = reason === '' ? '' : `: ${reason}`;
  if (!isResourceRequest) {
    return new ApiError('Forbidden', `forbidden: ${who} ${verb} path ${JSON.stringify(path)}${tail}`, {});
  }
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const why = `${who} ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${tail}`;
  return forbidden({ group, resource }, name, why);
}
