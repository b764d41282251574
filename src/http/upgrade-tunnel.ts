import type { Duplex } from 'node:stream';

/** What a listener needs to end open tunnels when it closes. */
export interface TunnelOptions {
  readonly openOutlets: Set<{ shutdown(): void }>;
  readonly isClosing: () => boolean;
}

/** Hands the connection to another protocol. Resolves when it is closed; never throws. */
export async function openTunnel(
  client: Duplex,
  tunnel: (client: Duplex) => Promise<void>,
  { openOutlets, isClosing }: TunnelOptions,
): Promise<void> {
  const open = { shutdown: () => void client.destroy() };
  openOutlets.add(open);
  if (isClosing()) open.shutdown();
  await tunnel(client);
  openOutlets.delete(open);
}
