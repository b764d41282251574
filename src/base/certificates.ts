import { getRandomValues } from './real-random.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificate blocks of a PEM text, in order; other content is ignored. */
export const certificateBlocks = (pem: string): readonly string[] => pem.match(BLOCK) ?? [];

/** The validity period of a certificate, in Node's format. */
interface Lasting {
  readonly validFrom: string;
  readonly validTo: string;
}

/** Whether a certificate is within its validity period. */
export const isInItsTime = ({ validFrom, validTo }: Lasting, nowMs: number): boolean => Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);

const ANY_USAGE = '2.5.29.37.0';
const USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/**
 * Whether a certificate may be used for this end of a connection: its extended key usage has that usage or any usage, or is absent. RFC 5280,
 * 4.2.1.12.
 */
export const isMeantFor = (end: keyof typeof USAGES, { keyUsage }: { readonly keyUsage: readonly string[] | undefined }): boolean =>
  keyUsage === undefined || keyUsage.includes(USAGES[end]) || keyUsage.includes(ANY_USAGE);

/** A serial number for a new certificate: random, positive and always of the same length, as RFC 5280 wants it. */
export function newSerial(): Uint8Array {
  const bytes = getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
