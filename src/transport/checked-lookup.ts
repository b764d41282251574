import { TransportFailure } from './failure.ts';
import { isLocalAddress } from './local-address.ts';
import { findAddresses, forDialling } from './lookups.ts';

/**
 * Looks a name up once and gives only addresses that may be called to whoever dials: between the check and the call no second answer of the
 * name server can come. Fails with `TransportFailure` when one of the addresses is local; a name that means both is not trusted.
 */
export const lookUpElsewhere = forDialling((host, how, told) =>
  findAddresses(host, how, (failure, found) => {
    const isRefused = failure === null && (found.length === 0 || found.some(({ address }) => isLocalAddress(address)));
    if (isRefused) told(localRefused(host), []);
    else told(failure, found);
  }),
);

/** Throws where the text is an address that may not be called; names are checked when they are looked up. */
export function refuseLocal(host: string): void {
  if (/^[\d.]+$|:/.test(host) && isLocalAddress(host)) throw localRefused(host);
}

const localRefused = (host: string): TransportFailure => new TransportFailure('forbidden-address', `address not allowed: ${host} is an address of this machine or its link`);
