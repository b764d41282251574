import { badRequest, FieldErrors, invalid } from '#errors';
import { compileLabelSelector, parseFieldSelector, type FieldRequirement, type LabelPredicate } from '#api';
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
