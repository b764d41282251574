import { TransportFailure } from './failure.ts';
import { isLocalAddress } from './local-address.ts';
import { findAddresses, forDialling } from './lookups.ts';

/**
 * A DNS look-up that fails with `TransportFailure` when any address of the name is local. It resolves the name once and passes the checked addresses
 * to the connection, so that no second DNS response can differ (DNS rebinding).
 */
export const lookUpElsewhere = forDialling((host, how, told) =>
  findAddresses(host, how, (failure, found) => {
    const isRefused = failure === null && (found.length === 0 || found.some(({ address }) => isLocalAddress(address)));
    if (isRefused) told(localRefused(host), []);
    else told(failure, found);
  }),
);

/** Throws where `host` is a local address; names are checked when they are resolved. */
export function refuseLocal(host: string): void {
  if (/^[\d.]+$|:/.test(host) && isLocalAddress(host)) throw localRefused(host);
}

const localRefused = (host: string): TransportFailure => new TransportFailure('forbidden-address', `address not allowed: ${host} is an address of this machine or its link`);
