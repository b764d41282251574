import { badRequest, FieldErrors, invalid, noNumber, withoutReason, type ApiError } from '#errors';
import { compileFieldSelector, compileLabelSelector, parseFieldSelector, type FieldRequirement, type KindDefinition, type LabelPredicate } from '#api';
import type { Selection } from '#registry';
import { decodeContinueToken, isObjectName, parseRevision, type Freshness, type Stored } from '#registry';
import { readBoolean, readInteger } from './options.ts';
import type { VerbContext } from './verb-context.ts';

/** The parsed parameters of list, watch and deletecollection. @spec 4.3 */
export interface ListOptions {
  readonly resourceVersion: string;
  readonly match: string;
  readonly limit: number | undefined;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
  readonly labels: LabelPredicate | undefined;
  readonly fields: readonly FieldRequirement[];
  /** Both selectors as one text; empty where there are none. */
  readonly selectors: string;
}

/** Reads all parameters before it checks their combination. Whether the kind has the selected fields is checked by `readSelection`. */
export function readListOptions(context: VerbContext): ListOptions {
  const { query } = context.request;
  // In the order in which kube-apiserver tells what it cannot read.
  const timeoutSeconds = readInteger(query, 'timeoutSeconds');
  const limit = readInteger(query, 'limit');
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  const options: ListOptions = {
    resourceVersion: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    limit: limit === undefined || limit <= 0 ? undefined : limit,
    continue: query.get('continue') ?? '',
    timeoutSeconds,
    bookmarks: readBoolean(query, 'allowWatchBookmarks') ?? false,
    labels: compileLabelSelector(labelText),
    fields: parseFieldSelector(fieldText),
    selectors: labelText === '' && fieldText === '' ? '' : JSON.stringify([labelText, fieldText]),
  };
  checkMatch(context, options);
  return options;
}

/** Refuses the invalid combinations of `resourceVersionMatch`. @spec 4.6 */
function checkMatch(context: VerbContext, options: ListOptions): void {
  if (options.match === '') return;
  const at = new FieldErrors().child('resourceVersionMatch');
  // Watches by path (`/watch/…`) are not refused.
  if (readBoolean(context.request.query, 'watch') === true) at.forbidden('resourceVersionMatch is forbidden for watch');
  if (options.resourceVersion === '') at.forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (options.continue !== '') at.forbidden('resourceVersionMatch is forbidden when continue is provided');
  if (options.match !== 'Exact' && options.match !== 'NotOlderThan') at.notSupported(options.match, ['Exact', 'NotOlderThan', '']);
  if (options.match === 'Exact' && options.resourceVersion === '0') {
    at.forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (at.isEmpty) return;
  const { brand } = context.env.catalog;
  const failure = invalid({ group: brand.group('meta'), kind: 'ListOptions' }, '', at.causes);
  throw brand.deviations.listOptionErrorsAreBadRequests ? badRequest(failure.message) : failure;
}

/**
 * Which objects a collection request selects, without its freshness. A list that is continued is read as a range, even where it selects one name.
 * Throws `BadRequest` for fields that the kind does not offer.
 */
export function readSelection({ route }: VerbContext, options: ListOptions): Omit<Selection, 'freshness'> {
  const { labels } = options;
  const { name: named, namespace } = route.key;
  const { kind } = route.resource;
  // A name in the path selects like `metadata.name` in a field selector, and must equal that where both are given.
  const fields = compileFieldSelector(named !== '' && options.fields.length === 0 ? [isNamed(named)] : options.fields, kind, route.served);
  const name = fields?.name;
  if (named !== '' && name !== named) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  // An invalid object name has no key, and selects nothing.
  if (name !== undefined && !isObjectName(name)) return { namespace, matches: () => false };
  const matches = all(
    name === undefined ? undefined : isKeptAs(name),
    labels && ((one) => labels(one.labels)),
    fields && ((one) => fields.matches(one.fields)),
  );
  return {
    namespace,
    ...(name === undefined || (named === '' && options.continue !== '') ? {} : { name }),
    ...(matches === undefined ? {} : { matches, matchesText: named === '' ? options.selectors : `${named} ${options.selectors}` }),
    ...(fields?.required === undefined ? {} : { required: fields.required }),
  };
}

const isNamed = (name: string): FieldRequirement => ({ key: 'metadata.name', value: name, isEqual: true });

type Matches = (stored: Stored) => boolean;

/** By the key: most objects have another name, and need not be decoded to see that. */
function isKeptAs(name: string): Matches {
  const end = `/${name}`;
  return ({ key }) => key.endsWith(end);
}

/** All that are given, in this order; undefined: none is. */
const all = (...given: readonly (Matches | undefined)[]): Matches | undefined =>
  given.reduce((one, other) => (one === undefined || other === undefined ? (one ?? other) : (stored) => one(stored) && other(stored)), undefined);

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

export const freshnessOfGet = (text: string, { isUncached }: KindDefinition): Freshness => {
  if (text === '') return 'latest';
  if (text === '0') return 'any';
  const revision = parseRevision(text);
  if (revision === undefined) throw badVersion(text, isUncached === true ? 'store' : 'cache');
  return { notOlderThan: revision };
};

