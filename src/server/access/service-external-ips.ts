import type { AdmissionHooks } from '#admission';
import { forbidden } from '#errors';
import type { Service } from '#kinds';
import type { Authorizer } from '#request';
import { isFreedBy } from './freed-by-permission.ts';

/**
 * Refuses external IPs of services, which could intercept traffic to those addresses. Exempt are users that may `create` `services/externalips`.
 * Addresses that the service had before may stay.
 */
export function serviceExternalIPsHooks({ authorizer }: { readonly authorizer: Authorizer }): AdmissionHooks {
  return {
    on: ['CREATE', 'UPDATE'],
    kinds: ['/services'],
    async validate(request) {
      const before = new Set((request.live as Service | undefined)?.spec.externalIPs ?? []);
      const added = ((request.object as Service).spec.externalIPs ?? []).find((address) => !before.has(address));
      if (added === undefined || (await isFreedBy(['services', 'externalips'], authorizer, request))) return;
      const name = request.name || (request.object?.metadata.name ?? '');
      throw forbidden({ group: '', resource: 'services' }, name, `external IP ${added} is not allowed; who may create services/externalips may use external IPs`);
    },
  };
}
