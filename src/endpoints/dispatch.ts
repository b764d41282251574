import { methodNotAllowed, noSuchPath } from '#errors';
import { indented, negotiate, OFFERS, type Negotiated, type Offers } from '#codec';
import type { Catalog } from '#api';
import { plainReply, wantsPretty, type Identified, type Next, type Reply } from '#request';
import { ACTIONS } from './actions/actions.table.ts';
import type { Environment } from './environment.ts';
import { insistOnPatchType } from './patch-media-types.ts';
import { findRoute, type Route } from './route.ts';
import type { VerbContext, VerbHandler } from './verb-context.ts';
import { connect } from './verbs/connect.ts';
import { create } from './verbs/create.ts';
import { deleteObject } from './verbs/delete.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';

const VERBS: Readonly<Record<Route['verb'], VerbHandler>> = {
  create,
  delete: deleteObject,
  deletecollection: deleteCollection,
  get,
  list,
  patch,
  update,
  watch,
};

/**
 * The last step of every request: a verb for resources, `elsewhere` (discovery, health, …) for other paths.
 * `elsewhere` answers undefined for paths it does not know.
 */
export function createDispatch(env: Environment, elsewhere: (request: Identified) => Promise<Reply | undefined>): Next<Identified> {
  return (request) => {
    const { info } = request;
    try {
      const route = info.isResourceRequest && info.path.charCodeAt(1) !== SLASH ? findRoute(env.catalog, info, request.method) : undefined;
      if (route !== undefined) return handlerOf(route)(openContext(env, request, route));
    } catch (refusal) {
      return Promise.reject(refusal as Error);
    }
    return elsewhere(request).then((reply) => reply ?? nothingThere(env, info.path));
  };
}

/** Imperative subresources and kinds that are nowhere stored have an action instead of the verbs that all others share. */
function handlerOf({ declared, resource, subresource, verb }: Route): VerbHandler {
  if (declared?.connects !== undefined) return connect;
  const action = subresource === '' ? resource.kind.action : declared?.action;
  if (action === undefined) return VERBS[verb];
  const handler = ACTIONS.get(action);
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

function openContext(env: Environment, request: Identified, route: Route): VerbContext {
  warnOfVersion(request, route, env.catalog);
  if (route.verb === 'patch' && route.declared?.connects === undefined) insistOnPatchType(request, route);
  const offers = offersOf(route);
  // What is behind the API answers in its own form.
  const accepted: Negotiated = offers === undefined ? { codec: 'json' } : negotiate(request.headers.get('accept')?.[0], offers, env.catalog.brand);
  return { request, route, env, accepted: indented(accepted, wantsPretty(request)), registry: env.registries.of(route.resource) };
}

/** Parts of an object have no table form, nor has what is nowhere stored and cannot be listed. undefined: not for the API to say. */
function offersOf({ subresource, declared, resource }: Route): Offers | undefined {
  if (declared?.connects !== undefined) return declared.connects === 'log' ? OFFERS.log : undefined;
  if (resource.kind.isCustom === true) return declared?.carries === undefined ? OFFERS.textObjects : OFFERS.textParts;
  const isPart = subresource !== '' || resource.kind.verbs?.includes('list') === false;
  return isPart ? OFFERS.parts : OFFERS.objects;
}

function warnOfVersion(request: Identified, { resource, served }: Route, { brand }: Catalog): void {
  const { deprecated, warning } = served;
  if (warning !== undefined) request.warn(warning);
  if (deprecated === undefined) return;
  request.annotate(brand.names.deprecatedAnnotation, 'true');
  if (deprecated.goneIn !== undefined) request.annotate(brand.names.removedReleaseAnnotation, deprecated.goneIn);
  const { kind } = resource.kind;
  const replacement = resource.versions.find(({ version }) => version === deprecated.use);
  const end = deprecated.goneIn === undefined ? '' : `, unavailable in v${deprecated.goneIn}+`;
  const advice = replacement === undefined ? '' : `; use ${replacement.apiVersion} ${kind}`;
  request.warn(`${served.apiVersion} ${kind} is deprecated in v${deprecated.since}+${end}${advice}`);
}

/** Nothing is served under a path that begins with two. */
const SLASH = 0x2f;

/** Below a served group the API answers itself, as it does for an unknown resource. */
function nothingThere({ catalog }: Environment, path: string): Reply {
  const [, prefix = '', group] = path.split('/');
  const isBelow = group !== undefined;
  const isOfApi = isBelow && (prefix === 'api' || prefix === 'version' || (prefix === 'apis' && group !== '' && catalog.isBuiltIn(group)));
  if (isOfApi) throw noSuchPath();
  return plainReply(404, '404 page not found\n');
}
