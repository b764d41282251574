import type { Duplex } from 'node:stream';
import type { Reply } from '#request';
import type { Wire } from './wire.ts';

/** What a listener does to end the tunnels that are open when it closes. */
export interface TunnelOptions {
  readonly openOutlets: Set<{ shutdown(): void }>;
  readonly isClosing: () => boolean;
}

/** From here on the connection speaks another protocol. Resolves when it is closed; never throws. */
export async function openTunnel(
  { status, headers }: Pick<Reply, 'status' | 'headers'>,
  tunnel: (client: Duplex) => Promise<void>,
  warnings: readonly string[],
  wire: Wire,
  { openOutlets, isClosing }: TunnelOptions,
): Promise<void> {
  const client = wire.handOver?.({ status, headers, contentLength: undefined, warnings });
  if (client === undefined) return;
  const open = { shutdown: () => void client.destroy() };
  openOutlets.add(open);
  if (isClosing()) open.shutdown();
  await tunnel(client);
  openOutlets.delete(open);
}
