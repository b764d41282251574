import { every, failureText, type Clock, type Log } from '#base';
import type { Brand } from '#api';
import type { Loopback } from '../loopback.ts';
import { sendObject } from '../send-object.ts';

const EVERY_MS = 60_000;

/** Creates the system namespaces that are missing, by ordinary requests; the others stay as they are. */
export async function makeSystemNamespaces(loopback: Loopback, { names }: Brand): Promise<void> {
  const wanted = [names.systemNamespace, names.publicNamespace, names.leaseNamespace, 'default'];
  await Promise.all(wanted.map((name) => makeNamespace(loopback, name)));
}

/** Creates system namespaces that were deleted again, every minute until the signal aborts: nodes cannot renew their leases without that of these. */
export function keepSystemNamespaces(loopback: Loopback, brand: Brand, clock: Clock, log: Log, signal: AbortSignal): void {
  const round = async (): Promise<void> => {
    try {
      await makeSystemNamespaces(loopback, brand);
    } catch (cause) {
      if (!signal.aborted) log.warn('the system namespaces could not be kept', { error: failureText(cause) });
    }
  };
  every(clock, EVERY_MS, round, signal);
}

async function makeNamespace(loopback: Loopback, name: string): Promise<void> {
  const collection = '/api/v1/namespaces';
  // Asked for first: a create would call webhooks each minute before it is refused.
  const found = await loopback({ method: 'GET', path: `${collection}/${name}`, headers: { accept: 'application/json' } });
  if (found.status === 200) return;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await sendObject(loopback, { method: 'POST', path: collection, object, fine: FINE });
}

/** Created, or another server did it first. */
const FINE: readonly number[] = [201, 409];
