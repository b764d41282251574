import type { Brand } from '#api';
import { Pools } from '#registry';
import { hostIn, settleServices, type ServiceOptions } from './options.ts';

/** The address of the API's own Service: the first one for services. Throws an `Error` that names the flag, or says what is wrong. */
export const apiServiceIp = (services: ServiceOptions): string => new Pools(settleServices(services)).clusterIps[0]?.first ?? '';

/**
 * The names and addresses, beside those of its machine, by which clients ask for a server that listens on `host`: that, what others are told to use,
 * and the API's own Service, by which pods ask. Throws an `Error` that names the flag, or says what is wrong.
 */
export function servingNames(services: ServiceOptions, host: string, { names: { apiService } }: Brand): readonly string[] {
  const { advertiseAddress, externalHost } = services;
  const told = [host, advertiseAddress, externalHost === undefined ? undefined : hostIn(externalHost)];
  const ofService = [apiService, `${apiService}.default`, `${apiService}.default.svc`, apiServiceIp(services)];
  // A certificate has no zones, which mean something on one machine alone.
  return [...told, ...ofService].filter((name) => name !== undefined && name !== '' && !name.includes('%')) as readonly string[];
}
