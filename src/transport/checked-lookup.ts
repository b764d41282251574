import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { TransportFailure } from './failure.ts';
import { isLocalAddress } from './local-address.ts';

/**
 * Looks a name up once and gives only addresses that may be called to whoever dials: between the check and the call no second answer of the
 * name server can come. Fails with `TransportFailure` when one of the addresses is local; a name that means both is not trusted.
 */
export const lookUpElsewhere: LookupFunction = (host, options, done) => {
  const { all, family, hints }: LookupOptions = options;
  lookUp(host, { all: true, ...(family === undefined ? {} : { family }), ...(hints === undefined ? {} : { hints }) }, (failure, found) => {
    if (failure !== null) return done(failure, '', 0);
    const local = found.find(({ address }) => isLocalAddress(address));
    const [first] = found;
    if (local !== undefined || first === undefined) return done(localRefused(host), '', 0);
    if (all === true) return (done as (failure: null, found: readonly LookupAddress[]) => void)(null, found);
    done(null, first.address, first.family);
  });
};

/** Throws where the text is an address that may not be called; names are checked when they are looked up. */
export function refuseLocal(host: string): void {
  if (/^[\d.]+$|:/.test(host) && isLocalAddress(host)) throw localRefused(host);
}

const localRefused = (host: string): TransportFailure => new TransportFailure('forbidden-address', `address not allowed: ${host} is an address of this machine or its link`);
