import type { AdmissionEnv, AdmissionHooks } from '#admission';
import { foreignEndpointsHooks } from './foreign-endpoints.ts';
import type { Settings } from '../options.ts';
import { serviceExternalIPsHooks } from './service-external-ips.ts';

/** The checks behind doors that are closed. They are no plugins that are on by default: those are a list that the interface promises. */
export function doorHooks({ dialect, doors }: Settings, env: Omit<AdmissionEnv, 'config' | 'observer'>): readonly AdmissionHooks[] {
  const asRecorded = dialect === 'kubernetes';
  const hooks: AdmissionHooks[] = [];
  if (!(doors.serviceExternalIPs ?? asRecorded)) hooks.push(serviceExternalIPsHooks(env));
  if (!(doors.foreignEndpoints ?? asRecorded)) hooks.push(foreignEndpointsHooks(env));
  return hooks;
}
