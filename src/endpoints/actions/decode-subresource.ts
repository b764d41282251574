import { track } from '#apply';
import { apiVersionOf, objectTypeOf, type ApiObject, type Carried } from '#api';
import type { MessageType } from '#schema';
import type { OperationPlan } from '../admission-options.ts';
import { decodeAs } from '../decode-body.ts';
import type { VerbContext } from '../verb-context.ts';
import { managerOf } from '../track-write.ts';

/**
 * Decodes the body of a request to an imperative subresource as the object that its declaration names. The namespace of the path counts, whatever the
 * body says. Throws as `decodeBody` does.
 */
export function decodeSubresource(context: VerbContext): Promise<ApiObject> {
  const carries = declaredBody(context);
  const group = context.env.catalog.brand.group(carries.group);
  const inGroup = (version: string): string => apiVersionOf({ group, version });
  return decodeAs(context, {
    apiVersion: inGroup(carries.version),
    kind: carries.kind,
    type: subresourceType(context),
    ...(carries.alsoVersions === undefined ? {} : { alsoAccepts: carries.alsoVersions.map(inGroup) }),
  });
}

/** The type of the body. */
export const subresourceType = (context: VerbContext): MessageType => objectTypeOf(declaredBody(context).schema);

/** The body with `managedFields`, as admission sees it. */
export function trackSubresource(context: VerbContext, plan: Pick<OperationPlan, 'fieldManager'>, next: ApiObject): ApiObject {
  const { env, route } = context;
  return track({ type: subresourceType(context), live: undefined, next, manager: managerOf(context, plan), apiVersion: next.apiVersion ?? '', subresource: route.subresource, nowMs: env.clock.nowMs() });
}

/** What the subresource's declaration says about its body. */
export function declaredBody({ route: { declared, subresource } }: VerbContext): Carried & Required<Pick<Carried, 'schema'>> {
  const { carries } = declared ?? {};
  if (carries?.schema === undefined) throw new TypeError(`the declaration does not say what ${subresource} carries`);
  return { ...carries, schema: carries.schema };
}
