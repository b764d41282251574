import { withoutReason } from '#errors';
import type { Node } from '#kinds';
import type { BackEnd } from '#transport';
import type { VerbContext } from '../verb-context.ts';
import { readStored } from './connect-read.ts';

const AGENT_PORT = 10_250;

/**
 * The agent of a node, by the node name in `spec.nodeName` of its pods. Throws `NotFound`, and an error without reason for a node without a usable
 * address.
 */
export async function nodeAgent(context: VerbContext, name: string): Promise<BackEnd> {
  return agentOf(context, (await readStored(context, 'Node', { namespace: '', name })) as Node);
}

/** The agent of a node: always over TLS, with the client certificate of the server. */
export function agentOf({ env: { connecting } }: VerbContext, node: Node): BackEnd {
  return {
    isSecure: true,
    host: addressOf(node, connecting.nodeAddressTypes),
    port: node.status.daemonEndpoints?.kubeletEndpoint?.Port || AGENT_PORT,
    trust: connecting.nodeTrust,
    isLocalRefused: false,
  };
}

/** The first address of the most preferred type. Throws an error without reason where there is none. */
export function addressOf({ status }: Node, types: readonly string[]): string {
  const addresses = status.addresses ?? [];
  for (const type of types) {
    const found = addresses.find((address) => address.type === type && address.address !== '');
    if (found !== undefined) return found.address;
  }
  throw withoutReason(`no preferred addresses found; known addresses: ${JSON.stringify(addresses)}`);
}
