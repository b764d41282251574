import { listKindOf } from '#api';
import { ApiError } from '#errors';
import type { VerbContext } from './verb-context.ts';

/**
 * Checks that the list form was negotiated for a list only, and the item form for items and events. Runs when the result is ready, after the verb has
 * taken effect. `kind`: that of an item. Throws `NotAcceptable`. @spec 4.7
 */
export function checkForm({ accepted: { as }, route }: VerbContext, result: 'list' | 'item', kind = route.resource.kind.kind): void {
  const isList = result === 'list';
  if ((as === 'PartialObjectMetadataList' && !isList) || (as === 'PartialObjectMetadata' && isList)) {
    const what = isList ? listKindOf(route.resource.kind) : kind;
    throw new ApiError('NotAcceptable', `you requested ${as}, but the requested object is ${isList ? 'a list' : 'not a list'} (${what})`);
  }
}
