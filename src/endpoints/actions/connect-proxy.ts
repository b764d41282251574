import { getRandomValues } from '#base';
import { badRequest, goQuoted, internalError, serviceUnavailable } from '#errors';
import { decodePath, uriOf } from '#request';
import type { Endpoints, Node, Pod, Service } from '#kinds';
import type { BackEnd } from '#transport';
import type { VerbContext } from '../verb-context.ts';
import type { Destination } from './connect-destination.ts';
import { addressOf, agentOf } from './connect-node.ts';
import { foundStored, readStored } from './connect-read.ts';

/** A proxy's name: `name`, `name:port`, `scheme:name:port` or `scheme:name:`. */
export interface ProxiedName {
  readonly scheme: '' | 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

/** Parses the name of a proxy; undefined: it does not have that form. */
function parseProxiedName(text: string): ProxiedName | undefined {
  const [first = '', second, third, ...more] = text.split(':');
  if (more.length > 0) return undefined;
  if (second === undefined) return first === '' ? undefined : { scheme: '', name: first, port: '' };
  if (third === undefined) return first === '' ? undefined : { scheme: '', name: first, port: second };
  const isScheme = first === '' || first === 'http' || first === 'https';
  return isScheme && second !== '' ? { scheme: first, name: second, port: third } : undefined;
}

/** The back end of a proxy request. The query is forwarded unchanged: the back end parses it in its own way. */
export async function proxyDestination(context: VerbContext): Promise<Destination> {
  const { route, request } = context;
  const { plural } = route.resource.kind;
  const wanted = parseProxiedName(route.key.name);
  if (wanted === undefined) throw badRequest(`invalid ${plural.slice(0, -1)} request ${goQuoted(route.key.name)}`);
  const backEnd = await BACK_ENDS[plural as keyof typeof BACK_ENDS](context, wanted);
  const { base, rest } = splitPath(request.path, route.resource.kind.scope === 'Namespaced');
  return { backEnd, path: uriOf({ path: rest === '' ? '/' : rest, rawQuery: request.rawQuery }), mustUpgrade: false, base };
}

/** Splits the path into the part up to `proxy`, and the proxied path, still percent-encoded. */
export function splitPath(path: string, isNamespaced: boolean): { readonly base: string; readonly rest: string } {
  // /api/v1[/namespaces/<namespace>]/<plural>/<name>/proxy
  const prefix = new RegExp(`^(?:/+[^/]+){${isNamespaced ? 7 : 5}}`).exec(path)?.[0] ?? path;
  return { base: prefix, rest: path.slice(prefix.length) };
}

/** The proxied path as admission sees it: decoded, and with runs of slashes at its ends reduced to one. */
export function shownPath(rest: string): string {
  const path = decodePath(rest);
  let [start, end] = [0, path.length];
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return `${start < end ? `/${path.slice(start, end)}` : ''}${path.endsWith('/') ? '/' : ''}`;
}

const BACK_ENDS = { nodes: nodeBackEnd, pods: podBackEnd, services: serviceBackEnd } as const;

/** The node's agent, or the server on another port of the node. */
async function nodeBackEnd(context: VerbContext, { scheme, name, port }: ProxiedName): Promise<BackEnd> {
  const node = (await readStored(context, 'Node', { namespace: '', name })) as Node;
  const isLocalRefused = !context.env.connecting.mayProxyToLocal;
  const agent = agentOf(context, node);
  if (port === '' || port === String(agent.port)) return { ...agent, isLocalRefused };
  const host = addressOf(node, context.env.connecting.nodeAddressTypes);
  return { isSecure: scheme === 'https', host, port: portNumber(port), isLocalRefused };
}

async function podBackEnd(context: VerbContext, { scheme, name, port }: ProxiedName): Promise<BackEnd> {
  const { spec, status } = (await readStored(context, 'Pod', { ...context.route.key, name })) as Pod;
  const host = status.podIPs?.[0]?.ip || status.podIP;
  if (!host) throw badRequest('address not allowed');
  const declared = spec.containers?.find(({ ports }) => (ports ?? []).length > 0)?.ports?.[0]?.containerPort;
  const isSecure = scheme === 'https';
  const number = port === '' ? (declared ?? (isSecure ? 443 : 80)) : portNumber(port);
  return { isSecure, host, port: number, isLocalRefused: !context.env.connecting.mayProxyToLocal };
}

/**
 * A random ready endpoint of the service. Writers of Endpoints decide where this server sends requests, so only addresses that pods in the same
 * namespace have at this moment count.
 */
async function serviceBackEnd(context: VerbContext, { scheme, name, port }: ProxiedName): Promise<BackEnd> {
  const key = { ...context.route.key, name };
  const portName = /^[+-]?[0-9]+$/.test(port) ? portNameOf((await readStored(context, 'Service', key)) as Service, port) : port;
  const { subsets } = (await readStored(context, 'Endpoints', key)) as Endpoints;
  for (const { addresses, ports } of fromAnywhere(subsets ?? [])) {
    const open = (ports ?? []).find((one) => (one.name ?? '') === portName);
    for (const address of open === undefined ? [] : fromAnywhere(addresses ?? [])) {
      if (!(await isOfPod(context, address))) continue;
      return { isSecure: scheme === 'https', host: address.ip, port: open?.port ?? 0, isLocalRefused: !context.env.connecting.mayProxyToLocal };
    }
  }
  throw serviceUnavailable(`no endpoints available for service ${goQuoted(subsets === undefined || subsets.length === 0 ? name : context.route.key.name)}`);
}

/** All elements, rotated to a random start. */
function fromAnywhere<T>(all: readonly T[]): readonly T[] {
  const start = (getRandomValues(new Uint32Array(1))[0] ?? 0) % Math.max(all.length, 1);
  return [...all.slice(start), ...all.slice(0, start)];
}

type EndpointAddress = NonNullable<NonNullable<Endpoints['subsets']>[number]['addresses']>[number];

async function isOfPod(context: VerbContext, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  const { namespace } = context.route.key;
  if (!targetRef?.name || targetRef.namespace !== namespace) return false;
  const pod = (await foundStored(context, 'Pod', { namespace, name: targetRef.name })) as Pod | undefined;
  return pod?.status.podIPs?.some((one) => one.ip === ip) === true;
}

/** The name of the service port with this number. */
function portNameOf({ metadata, spec }: Service, port: string): string {
  const found = (spec.ports ?? []).find((one) => one.port === Number(port));
  if (found === undefined) throw serviceUnavailable(`no service port ${Number(port)} found for service ${goQuoted(metadata.name ?? '')}`);
  return found.name ?? '';
}

function portNumber(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw internalError(`invalid port ${JSON.stringify(text)}`);
  return port;
}
