import { badRequest, FieldErrors, noNumber, withoutReason, type ApiError } from '#errors';
import type { KindDefinition } from '#api';
import { decodeContinueToken, parseRevision, type Freshness, type Selection } from '#registry';
import type { ListOptions } from './list-options.ts';
import type { VerbContext } from './verb-context.ts';

/** How fresh a list must be, and where it continues. @spec 4.4 @spec 4.6 */
export function readPage(context: VerbContext, options: ListOptions): Pick<Selection, 'freshness' | 'limit' | 'from'> {
  const { resourceVersion } = options;
  const { isUncached } = context.route.resource.kind;
  const limit = options.limit === undefined ? {} : { limit: options.limit };
  if (options.continue !== '') {
    // As in 1.23 the first of these that is wrong is told: the version as a number, the token, and that they are given together.
    if (resourceVersion !== '' && parseRevision(resourceVersion) === undefined) throw badVersion(resourceVersion, 'store');
    const opened = openToken(context, options.continue);
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return { ...limit, ...opened };
  }
  if (resourceVersion === '') return { freshness: 'latest', ...limit };
  // Any revision will do: the cache answers the whole list, without paging.
  if (resourceVersion === '0') return isUncached === true ? { freshness: 'any', ...limit } : { freshness: 'any' };
  const isExact = options.match === 'Exact' || (options.match === '' && options.limit !== undefined);
  const revision = parseRevision(resourceVersion);
  if (revision === undefined) throw badVersion(resourceVersion, isExact || options.limit !== undefined || isUncached === true ? 'store' : 'cache');
  // Zero in another spelling (`00`) is neither `0` nor a revision.
  if (revision === 0) return { freshness: 'latest', ...limit };
  return { freshness: isExact ? { exactly: revision } : { notOlderThan: revision }, ...limit };
}

function openToken(context: VerbContext, token: string): { readonly freshness: Freshness; readonly from: string } {
  const prefix = context.registry.prefixOf(context.route.key.namespace);
  const opened = decodeContinueToken(token, prefix);
  if (opened === undefined) throw badRequest('invalid continue token: continue key is not valid: it was not made by this server for this list');
  // A token without a revision continues at the latest revision: clients use it after their list has expired.
  return { freshness: opened.revision > 0 ? { exactly: opened.revision } : 'latest', from: opened.from };
}

/**
 * The error for a malformed resourceVersion: kube-apiserver answers 400 only where the request is served from the store, and 500 where it is served
 * from the watch cache.
 */
export function badVersion(text: string, goesTo: 'store' | 'cache'): ApiError {
  const at = new FieldErrors().child('resourceVersion');
  at.invalid(text, noNumber('ParseUint', text));
  const what = `resourceVersion: ${at.causes[0]?.message ?? ''}`;
  return goesTo === 'store' ? badRequest(`invalid resource version: ${what}`) : withoutReason(what);
}

/** How fresh the read of one object must be, by its `resourceVersion`. Throws `badVersion`. @spec 4.6 */
export const freshnessOfGet = (text: string, { isUncached }: KindDefinition): Freshness => {
  if (text === '') return 'latest';
  if (text === '0') return 'any';
  const revision = parseRevision(text);
  if (revision === undefined) throw badVersion(text, isUncached === true ? 'store' : 'cache');
  return { notOlderThan: revision };
};
