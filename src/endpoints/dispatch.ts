import { methodNotAllowed, noSuchPath } from '#errors';
import { indented, isRouted, negotiate, OFFERS, type Negotiated, type Offers } from '#codec';
import { plainReply, wantsPretty, type Identified, type Next, type Reply } from '#request';
import { ACTIONS } from './actions/actions.table.ts';
import type { Environment } from './environment.ts';
import { checkPatchType } from './patch-media-types.ts';
import { checkNamed, findRoute, type Route } from './route.ts';
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
import { warnOfDeprecation } from './warn-of-deprecation.ts';

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
 * The last step of every request: a verb for resources, `nonResourcePaths` (discovery, health, …) for other paths.
 * `nonResourcePaths` answers undefined for paths it does not know.
 */
export function createDispatch(env: Environment, nonResourcePaths: (request: Identified) => Promise<Reply | undefined>): Next<Identified> {
  const { catalog, hearOf } = env;
  const toResource = (request: Identified): Promise<Reply> | undefined => {
    try {
      const route = findRoute(catalog, request.info, request.method);
      return route && handlerOf(route)(openContext(env, request, route));
    } catch (refusal) {
      return Promise.reject(refusal as Error);
    }
  };
  const elsewhere = (request: Identified): Promise<Reply> => nonResourcePaths(request).then((reply) => reply ?? nothingThere(env, request.info.path));
  return (request) => {
    const { info } = request;
    if (!info.isResourceRequest || info.path.charCodeAt(1) === SLASH) return elsewhere(request);
    const answered = toResource(request);
    if (answered !== undefined) return answered;
    if (hearOf === undefined || catalog.isBuiltIn(info.group)) return elsewhere(request);
    return hearOf(info.group, info.resource).then(() => toResource(request) ?? elsewhere(request));
  };
}

/** Imperative subresources, and kinds that are not stored, have an action instead of the verbs that all others share. */
function handlerOf({ declared, resource, subresource, verb }: Route): VerbHandler {
  if (declared?.connects !== undefined) return connect;
  const action = subresource === '' ? resource.kind.action : declared?.action;
  if (action === undefined) return VERBS[verb];
  const handler = ACTIONS.get(action);
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

function openContext(env: Environment, request: Identified, route: Route): VerbContext {
  const { catalog } = env;
  const { served, verb, declared } = route;
  const offers = offersOf(route);
  const accept = request.headers.get('accept')?.[0];
  if (served.warning !== undefined) request.warn(served.warning);
  if (verb === 'patch' && declared?.connects === undefined) checkPatchType(request, route);
  // Media types are part of what leads a request to a version of a built-in kind; those of custom ones have a `warning` of their own.
  if (served.deprecated !== undefined && (offers === undefined || isRouted(accept, offers, catalog.brand))) warnOfDeprecation(request, route, served.deprecated, catalog);
  checkNamed(route);
  // Proxied servers answer in formats of their own.
  const accepted: Negotiated = offers === undefined ? { codec: 'json' } : negotiate(accept, offers, catalog.brand);
  return { request, route, env, accepted: indented(accepted, wantsPretty(request)), registry: env.registries.of(route.resource) };
}

/**
 * The representations to negotiate among. Subresources have no Table form, nor have kinds that are not stored and cannot be listed. undefined: the
 * back end decides the format.
 */
function offersOf({ subresource, declared, resource }: Route): Offers | undefined {
  if (declared?.connects !== undefined) return declared.connects === 'log' ? OFFERS.log : undefined;
  if (resource.kind.isCustom === true) return declared?.carries === undefined ? OFFERS.textObjects : OFFERS.textParts;
  const isPart = subresource !== '' || resource.kind.verbs?.includes('list') === false;
  return isPart ? OFFERS.parts : OFFERS.objects;
}

/** A path that begins with two slashes names no resource. */
const SLASH = 0x2f;

/** Unknown paths below a served group get an API Status, as an unknown resource does; all others get plain text. */
function nothingThere({ catalog }: Environment, path: string): Reply {
  const [, prefix = '', group] = path.split('/');
  const isBelow = group !== undefined;
  const isOfApi = isBelow && (prefix === 'api' || prefix === 'version' || (prefix === 'apis' && group !== '' && catalog.isBuiltIn(group)));
  if (isOfApi) throw noSuchPath();
  return plainReply(404, '404 page not found\n');
}
