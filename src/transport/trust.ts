import type { SecureContextOptions } from 'node:tls';

/**
 * Whom to trust, of the PEM certificates that somebody configured. Each of them is trusted as it stands, as Go does: an issuer without the
 * authority above it, too, and the very certificate that the other side shows. OpenSSL by itself trusts nothing that does not end in a root.
 */
export const trusting = (authorities: string): SecureContextOptions => ({ ca: authorities, allowPartialTrustChain: true });
