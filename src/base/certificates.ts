const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates of a PEM text as they stand there, in order; whatever else stands there is overlooked. */
export const certificateBlocks = (pem: string): readonly string[] => pem.match(BLOCK) ?? [];

/** What a certificate says of its time, as Node shows it. */
interface Lasting {
  readonly validFrom: string;
  readonly validTo: string;
}

/** Whether the time of a certificate has begun and not ended. */
export const isInItsTime = ({ validFrom, validTo }: Lasting, nowMs: number): boolean => Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);

const ANY_USAGE = '2.5.29.37.0';
const USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/** Whether a certificate is good for this end of a connection: it names that usage, every usage, or none at all. RFC 5280, 4.2.1.12. */
export const isMeantFor = (end: keyof typeof USAGES, { keyUsage }: { readonly keyUsage: readonly string[] | undefined }): boolean =>
  keyUsage === undefined || keyUsage.includes(USAGES[end]) || keyUsage.includes(ANY_USAGE);
