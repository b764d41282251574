import { badRequest } from '#errors';
import { CONNECT_OPTIONS, type Pod } from '#kinds';
import type { VerbContext } from '../verb-context.ts';
import { containerOf } from './connect-container.ts';
import type { Destination } from './connect-destination.ts';
import { nodeAgent } from './connect-node.ts';
import { readConnectOptions } from './connect-options.ts';
import { readStored } from './connect-read.ts';

type Streams = { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean; readonly tty?: boolean };

/** Query parameters of the API, and their names at the node's agent. */
const STREAMS = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const;

/** The agent that runs a command in a container. */
export async function execDestination(context: VerbContext): Promise<Destination> {
  const options = readConnectOptions(CONNECT_OPTIONS.PodExecOptions, context.request.query);
  return containerDestination(context, 'exec', options, options.command ?? []);
}

/** The agent that attaches to a running container. */
export async function attachDestination(context: VerbContext): Promise<Destination> {
  return containerDestination(context, 'attach', readConnectOptions(CONNECT_OPTIONS.PodAttachOptions, context.request.query), []);
}

async function containerDestination(
  context: VerbContext,
  what: 'exec' | 'attach',
  options: Streams & { readonly container?: string },
  command: readonly string[],
): Promise<Destination> {
  const pod = (await readStored(context, 'Pod', context.route.key)) as Pod;
  const container = containerOf(pod, options.container);
  const query = new URLSearchParams(command.map((word): [string, string] => ['command', word]));
  for (const [ours, theirs] of STREAMS) if (options[ours] === true) query.set(theirs, '1');
  return agentDestination(context, pod, pathOf(what, pod, container), query);
}

/** The agent that forwards ports of a pod. */
export async function portForwardDestination(context: VerbContext): Promise<Destination> {
  const { ports } = readConnectOptions(CONNECT_OPTIONS.PodPortForwardOptions, context.request.query);
  const pod = (await readStored(context, 'Pod', context.route.key)) as Pod;
  const query = new URLSearchParams((ports ?? []).map((port): [string, string] => ['port', String(port)]));
  return agentDestination(context, pod, pathOf('portForward', pod), query);
}

async function agentDestination(context: VerbContext, pod: Pod, path: string, query: URLSearchParams): Promise<Destination> {
  const { nodeName } = pod.spec;
  if (!nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  return { backEnd: await nodeAgent(context, nodeName), path: withQuery(path, query), mustUpgrade: true, base: undefined };
}

/** `/<what>/<namespace>/<pod>[/<container>]` */
export function pathOf(what: string, { metadata: { namespace = '', name = '' } }: Pod, ...container: readonly string[]): string {
  return `/${[what, namespace, name, ...container].map(encodeURIComponent).join('/')}`;
}

export const withQuery = (path: string, query: URLSearchParams): string => (query.size === 0 ? path : `${path}?${query.toString()}`);
