import type { AdmissionEnv, AdmissionHooks } from '#admission';
import { foreignEndpointsHooks } from './foreign-endpoints.ts';
import type { Settings } from '../options.ts';
import { serviceExternalIPsHooks } from './service-external-ips.ts';

/**
 * The admission checks for each weakness in `OpenDoors` that is not allowed. They are no admission plugins, because the API promises which plugins
 * are on by default.
 */
export function doorHooks({ dialect, doors }: Settings, env: Omit<AdmissionEnv, 'config' | 'observer'>): readonly AdmissionHooks[] {
  const asRecorded = dialect === 'kubernetes';
  const hooks: AdmissionHooks[] = [];
  if (!(doors.serviceExternalIPs ?? asRecorded)) hooks.push(serviceExternalIPsHooks(env));
  if (!(doors.foreignEndpoints ?? asRecorded)) hooks.push(foreignEndpointsHooks(env));
  return hooks;
}
