import { methodNotAllowed, notAcceptable, noSuchPath } from '#errors';
import { negotiate, offeredMediaTypes, OFFERS, type Negotiated, type Offers } from '#codec';
import type { Catalog } from '#api';
import type { Identified, Next, Reply } from '#request';
import { ACTIONS } from './actions/actions.table.ts';
import type { Environment } from './environment.ts';
import { findRoute, type Route } from './route.ts';
import type { VerbContext, VerbHandler } from './verb-context.ts';
import { wantsPretty } from './wants-pretty.ts';
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
      const route = info.isResourceRequest ? findRoute(env.catalog, info, request.method) : undefined;
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
  // What is behind the API answers in its own form.
  if (route.declared?.connects !== undefined) return { request, route, env, accepted: { codec: 'json' }, registry: env.registries.of(route.resource) };
  const offers = offersOf(route);
  const { brand } = env.catalog;
  const accept = request.headers.get('accept');
  const accepted = negotiate(accept === undefined || accept.length === 1 ? accept?.[0] : accept.join(', '), offers, brand);
  if (accepted === undefined) throw notAcceptable(offeredMediaTypes(offers, brand));
  const shown: Negotiated = accepted.codec === 'json' && wantsPretty(request) ? { ...accepted, pretty: true } : accepted;
  return { request, route, env, accepted: shown, registry: env.registries.of(route.resource) };
}

/** Parts of an object have no table form. */
function offersOf({ verb, subresource, declared, resource }: Route): Offers {
  const isCustom = resource.kind.isCustom === true;
  if (isCustom && declared?.carries !== undefined) return OFFERS.textPlain;
  if (isCustom) return verb === 'watch' ? OFFERS.textWatch : OFFERS.textObjects;
  if (verb === 'watch') return OFFERS.watch;
  return subresource === '' ? OFFERS.objects : OFFERS.plain;
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

/** Below a served group the API answers itself, as it does for an unknown resource. */
function nothingThere({ catalog }: Environment, path: string): Reply {
  const [, prefix = '', group = ''] = path.split('/');
  const isOfApi = (prefix === 'api' && group !== '') || (prefix === 'apis' && catalog.isBuiltIn(group));
  if (isOfApi) throw noSuchPath();
  return pageNotFound();
}

const PAGE_NOT_FOUND = new TextEncoder().encode('404 page not found\n');

function pageNotFound(): Reply {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: PAGE_NOT_FOUND,
  };
}
