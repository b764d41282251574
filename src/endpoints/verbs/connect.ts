import { badRequest } from '#errors';
import type { ApiObject, Connects } from '#api';
import { CONNECT_OPTIONS } from '#kinds';
import { uriOf, type Reply } from '#request';
import type { Destination } from '../actions/connect-destination.ts';
import { forward } from '../actions/connect-forward.ts';
import { log } from '../actions/connect-log.ts';
import { readConnectOptions } from '../actions/connect-options.ts';
import { attachDestination, execDestination, portForwardDestination } from '../actions/connect-pod.ts';
import { proxyDestination, shownPath, splitPath } from '../actions/connect-proxy.ts';
import { admissionRequest } from '../admission-request.ts';
import { asksForDryRun } from '../options.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import type { WritePlan } from '../write-plan.ts';

const DESTINATIONS: Readonly<Record<Exclude<Connects, 'log'>, (context: VerbContext) => Promise<Destination>>> = {
  attach: attachDestination,
  exec: execDestination,
  portforward: portForwardDestination,
  proxy: proxyDestination,
};

/**
 * Connects a request with a back end behind the API: the agent of a node, a pod, a service. Reading a log skips admission; everything else passes it,
 * and it sees the options.
 * @spec 4.1
 */
export const connect: VerbHandler = async (context) => {
  const connects = context.route.declared?.connects ?? 'proxy';
  if (connects === 'log') return log(context);
  if (asksForDryRun(context.request.query.getAll('dryRun'))) throw badRequest('dryRun is not supported');
  const plan: WritePlan = { operation: 'CONNECT', dryRun: false, fieldManager: '' };
  const admitted = admissionRequest(context, plan, optionsOf(context, connects), undefined);
  await context.env.admission.mutate(admitted);
  await context.env.admission.validate(admitted);
  const destination = await DESTINATIONS[connects](context);
  return (connects === 'proxy' ? toRoot(context) : undefined) ?? forward(context, destination);
};

function optionsOf({ route, request }: VerbContext, connects: Connects): ApiObject {
  const { carries } = route.declared ?? {};
  const schema = CONNECT_OPTIONS[carries?.kind as keyof typeof CONNECT_OPTIONS];
  if (carries === undefined || schema === undefined) throw badRequest(`nothing can be connected through ${route.subresource}`);
  const options = readConnectOptions<object>(schema, request.query);
  const shown = { kind: carries.kind, apiVersion: carries.version, metadata: {}, ...options };
  if (connects !== 'proxy') return shown;
  const path = shownPath(splitPath(request.path, route.resource.kind.scope === 'Namespaced').rest);
  return Object.assign(shown, { path: path === '' ? undefined : path });
}

/** Redirects the root of a proxy to a path with a final slash, against which relative links of its pages resolve. */
function toRoot({ route, request }: VerbContext): Reply | undefined {
  const { base, rest } = splitPath(request.path, route.resource.kind.scope === 'Namespaced');
  if (rest !== '' || request.upgrade !== undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined;
  return { status: 301, headers: { location: uriOf({ path: `${base}/`, rawQuery: request.rawQuery }) }, body: new Uint8Array(0) };
}
