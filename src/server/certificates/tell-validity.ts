import { X509Certificate } from 'node:crypto';
import { certificateBlocks, every, type Clock, type Log } from '#base';
import type { ListenerTls } from '#http';
import type { ClientCertificate } from '#transport';
import type { Settings } from '../options.ts';
import { readable } from './certificates.ts';

/** PEM texts of certificates, with what each is for. */
export type InUse = readonly (readonly [what: string, pem: string | undefined])[];

interface Parts {
  readonly inUse: () => Promise<InUse>;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 3_600_000;

/** At most so long before its end a certificate is told of, and at most for that part of its life: those of a day are renewed in their last hours. */
const [SOON_MS, SOON_PART] = [7 * 24 * 3_600_000, 0.1];

/**
 * Warns in the log of certificates that are not valid, or end soon, now and until the signal aborts: handshakes that fail for them are told to the
 * other end alone. Each is told once in each state.
 */
export function tellValidity({ inUse, clock, log }: Parts, signal: AbortSignal): void {
  const told = new Set<string>();
  const look = (certificates: InUse): void => {
    for (const [certificate, pem = ''] of certificates) {
      for (const block of certificateBlocks(pem)) {
        // What is no certificate is told where it is used.
        const read = readable(() => new X509Certificate(block));
        const state = read === undefined ? undefined : stateOf(read, clock.nowMs());
        if (read === undefined || state === undefined) continue;
        const key = `${certificate} ${state} ${read.fingerprint256}`;
        if (!told.has(key)) log.warn(state, { certificate, subject: read.subject, validFrom: read.validFrom, validTo: read.validTo });
        told.add(key);
      }
    }
  };
  const begin = async (): Promise<void> => {
    const first = await inUse();
    if (signal.aborted || first.every(([, pem]) => pem === undefined)) return;
    look(first);
    every(clock, LOOK_MS, async () => look(await inUse()), signal);
  };
  void begin();
}

function stateOf({ validFrom, validTo }: X509Certificate, nowMs: number): string | undefined {
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (nowMs > toMs) return 'a certificate has ended: who checks it refuses it';
  if (nowMs < fromMs) return 'a certificate is not valid yet: who checks it refuses it';
  return toMs - nowMs < Math.min(SOON_MS, (toMs - fromMs) * SOON_PART) ? 'a certificate ends soon' : undefined;
}

/** The certificates that a server shows, signs with or trusts, as they are now. `tls`: those of its listener. */
export async function certificatesInUse({ certificateSigning, nodes, aggregation }: Settings, tls: ListenerTls | undefined): Promise<InUse> {
  const [node, proxy] = await Promise.all([nowOf(nodes.clientCertificate), nowOf(aggregation.proxyCertificate)]);
  const { authority, bySigner = {} } = certificateSigning;
  return [
    ['serving', tls?.cert],
    ...(tls?.sniCertificates ?? []).map(({ cert }) => ['serving, by the name that is asked for', cert] as const),
    ['authority of clients', tls?.clientCa],
    ['authority of authenticating proxies', tls?.proxyCa],
    ['signing', authority?.cert],
    ...Object.entries(bySigner).map(([signer, pair]) => [`signing, ${signer}`, pair?.cert] as const),
    ['client of nodes', node?.cert],
    ['client of aggregated servers', proxy?.cert],
  ];
}

/** The pair that would be shown now; what cannot be read is told where it is used. */
async function nowOf(pair: ClientCertificate | undefined): Promise<ClientCertificate | undefined> {
  try {
    return (await pair?.current?.()) ?? pair;
  } catch {
    return pair;
  }
}
