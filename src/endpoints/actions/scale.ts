import { cloneJson } from '#base';
import { groupResourceOf, objectTypeOf, type ApiObject } from '#api';
import { conflict, FieldErrors, invalid, isRefusal, notFound, preconditionFailed, withoutReason, type ApiError } from '#errors';
import { scaleOf, validateScale, type Scale, type Unsaid } from '#kinds';
import { get as readObject, throwInApiTerms, update as store } from '#registry';
import type { Reply } from '#request';
import type { MessageType } from '#schema';
import { checkPlace } from '../object-place.ts';
import { readWriteOptions, refuseExport, type WriteOptions } from '../options.ts';
import { CHANGES, parseConfig, parsePatch, readPatched, type PatchSource } from '../patch-document.ts';
import { mechanismOf } from '../patch-media-types.ts';
import { replyPart } from '../represent.ts';
import { freshnessOfGet } from '../freshness.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { admitWrite, guardOf, planOf } from '../write-plan.ts';
import { declaredBody, decodeSubresource } from './decode-subresource.ts';
import { applyReplicas, scaledBy, setReplicas, type ShownScale } from './set-replicas.ts';

/**
 * Reads and changes the desired number of replicas of an object. The write is like any other write of the object, but changes nothing else.
 * @spec 4.2
 */
export const scale: VerbHandler = (context) => {
  if (context.route.verb === 'get') return show(context);
  return context.route.verb === 'update' ? update(context) : patch(context);
};

async function show(context: VerbContext): Promise<Reply> {
  const { route, registry, request, env } = context;
  const { missing } = route.declared ?? {};
  refuseExport(request);
  const freshness = freshnessOfGet(request.query.get('resourceVersion') ?? '', route.resource.kind);
  try {
    return replyScale(context, (await readObject(registry, route.key, freshness)).object, 'refused');
  } catch (error) {
    if (isRefusal(error, 'NotFound') && missing !== undefined) throw notFound({ group: env.catalog.brand.group(missing.group), resource: missing.resource }, route.key.name);
    return throwInApiTerms(error);
  }
}

async function update(context: VerbContext): Promise<Reply> {
  const options = readWriteOptions(context, 'update');
  const sent = (await decodeSubresource(context)) as Scale;
  checkPlace(context, sent);
  return writeScale(context, options, (live) => setReplicas(context, options, live, checked(context, cloneJson(sent)), () => shownIn(context, live)), sent.metadata.uid);
}

async function patch(context: VerbContext): Promise<Reply> {
  const { request, route, env } = context;
  const mechanism = mechanismOf(request, route);
  const options = readWriteOptions(context, mechanism === 'apply' ? 'apply' : 'patch');
  const body = await request.body(env.limits.maxBodyBytes);
  const expected = expectedScale(context);
  if (mechanism === 'apply') {
    let config: { readonly read: unknown } | undefined;
    return writeScale(context, options, (live) => {
      const { read } = (config ??= { read: parseConfig(body) });
      if (route.declared?.scaling !== undefined) throw notApplied();
      const next = checked(context, applyReplicas(context, options, live, read, shownIn(context, live)));
      checkUid(context, live, next);
      return scaledBy(context, live, next);
    });
  }
  const result = { ...expected, isPatched: true, isMerged: mechanism === 'strategic' };
  let from: PatchSource | undefined;
  return writeScale(context, options, (live) => {
    from ??= parsePatch(mechanism, body);
    const document = scaleOf(cloneJson(live), context.route.declared?.scaling, 'marked');
    const next = checked(context, readPatched(result, CHANGES[mechanism](expected.type, document, from.patch), from) as Scale);
    checkUid(context, live, next);
    return setReplicas(context, options, live, next, () => shownIn(context, live));
  });
}

/** The replicas of a custom resource have no field manager, so they cannot be applied; 1.23 cannot do it either. */
const notApplied = (): ApiError => withoutReason('the scale of a custom resource cannot be applied: send a patch or an update instead');

const shownIn = (context: VerbContext, live: ApiObject): ShownScale => ({ type: expectedScale(context).type, live: shownScale(context, live) });

type ChangeScale = (live: ApiObject) => ApiObject | Promise<ApiObject>;

/** Writes the changed object. `uid`: a precondition. */
async function writeScale(context: VerbContext, options: WriteOptions, change: ChangeScale, uid?: string): Promise<Reply> {
  const { route, registry } = context;
  const plan = planOf('UPDATE', options);
  const next = async (live: ApiObject | undefined): Promise<ApiObject> => {
    if (live === undefined) throw notFound(groupResourceOf(route.resource), route.key.name);
    return admitWrite(context, plan, await change(live), live);
  };
  const written = await store(registry, route.key, next, guardOf(context, plan, uid));
  return replyScale(context, written.stored.object, 'none');
}

/** A uid in a patched scale is a precondition. Throws `Conflict`. */
function checkUid({ route: { resource, subresource, key } }: VerbContext, live: ApiObject, { metadata: { uid } }: Scale): void {
  if (!uid || uid === live.metadata.uid) return;
  throw conflict({ group: resource.group, resource: `${resource.plural}/${subresource}` }, key.name, preconditionFailed('UID', uid, live.metadata.uid ?? ''));
}

/** Validates the scale itself, before anything is written. */
function checked(context: VerbContext, scale: Scale): Scale {
  const { route } = context;
  checkPlace(context, scale);
  const at = new FieldErrors();
  // Kinds with a replicas path of their own validate the value there.
  if (route.declared?.scaling === undefined) validateScale(scale, at);
  if (!at.isEmpty) throw invalid({ group: 'autoscaling', kind: 'Scale' }, route.key.name, at.causes);
  return scale;
}

function expectedScale(context: VerbContext): { readonly apiVersion: string; readonly kind: string; readonly type: MessageType } {
  const { group, version, kind, schema } = declaredBody(context);
  return { apiVersion: `${group}/${version}`, kind, type: objectTypeOf(schema) };
}

/** `unsaid`: what absent replicas become. A write gets its reply even where the schema does not let them be kept. */
function replyScale(context: VerbContext, object: ApiObject, unsaid: Unsaid): Reply {
  return replyPart(context, 200, expectedScale(context).type, scaleOf(object, context.route.declared?.scaling, unsaid));
}

/** The scale of an object as clients see it. */
const shownScale = ({ route }: VerbContext, object: ApiObject): Scale => scaleOf(object, route.declared?.scaling, 'refused');
