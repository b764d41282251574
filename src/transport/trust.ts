import type { SecureContextOptions } from 'node:tls';

/**
 * TLS options that make each of the PEM certificates a trust anchor, as Go does: also an intermediate without its root, and the server's own
 * certificate. OpenSSL by default trusts only chains that end in a root.
 */
export const trusting = (authorities: string): SecureContextOptions => ({ ca: authorities, allowPartialTrustChain: true });
