import { objectTypeOf, type ApiObject } from '#api';
import { decodeAs } from '../decode-body.ts';
import type { VerbContext } from '../verb-context.ts';

/**
 * The body of a request to an imperative subresource: what its declaration says that it carries. Whatever namespace it says, that of the
 * path counts.
 * Throws as `decodeBody` does.
 */
export function decodeCarried(context: VerbContext): Promise<ApiObject> {
  const { declared, subresource } = context.route;
  const { carries } = declared ?? {};
  if (carries?.schema === undefined) throw new TypeError(`the declaration does not say what ${subresource} carries`);
  const group = context.env.catalog.brand.group(carries.group);
  return decodeAs(context, {
    apiVersion: group === '' ? carries.version : `${group}/${carries.version}`,
    kind: carries.kind,
    type: objectTypeOf(carries.schema),
    acceptsAnyVersion: carries.isReadInAnyVersion === true,
  });
}
