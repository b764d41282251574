import { silentLog, type Log } from '#base';
import type { ServerOptions, ServiceOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';
import { readGivenPair } from './given-pair.ts';

/** The options about nodes, services and served APIs from the flags. Throws `UsageError` that names the flag. */
export async function readClusterOptions(flags: FlagValues, log: Log = silentLog): Promise<Pick<ServerOptions, 'doors' | 'nodes' | 'services' | 'runtimeConfig'>> {
  const authority = await readFlagFile(flags, 'kubelet-certificate-authority');
  const clientCertificate = await readGivenPair(flags, ['kubelet-client-certificate', 'kubelet-client-key'], log);
  const addressTypes = flags.words('kubelet-preferred-address-types');
  return {
    doors: {
      ...switchOf(flags, 'allow-service-external-ips', 'serviceExternalIPs'),
      ...switchOf(flags, 'allow-endpoints-across-namespaces', 'foreignEndpoints'),
      privilegedContainers: flags.isOn('allow-privileged'),
      webhookAnswersInLogs: flags.isOn('log-webhook-answers'),
    },
    nodes: {
      ...(authority === undefined ? {} : { authority }),
      ...(clientCertificate === undefined ? {} : { clientCertificate }),
      ...(addressTypes.length === 0 ? {} : { addressTypes }),
      mayProxyToLocal: flags.isOn('allow-proxy-to-local-addresses'),
    },
    services: readServices(flags),
    runtimeConfig: flags.list('runtime-config').join(','),
  };
}

/** The ranges of services, and where others reach the server, from the flags. Throws `UsageError` that names the flag. */
export function readServices(flags: FlagValues): ServiceOptions {
  const clusterIps = flags.words('service-cluster-ip-range');
  const [advertiseAddress, externalHost] = [flags.text('advertise-address'), flags.text('external-hostname')];
  return {
    ...(clusterIps.length === 0 ? {} : { clusterIps }),
    ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
    ...(externalHost === undefined ? {} : { externalHost }),
    nodePorts: readPortRange(flags.text('service-node-port-range') ?? ''),
  };
}

/** A boolean option, only where its flag was given: the default depends on the dialect. */
const switchOf = <K extends string>(flags: FlagValues, flag: string, option: K): Partial<Record<K, boolean>> =>
  flags.given.has(flag) ? ({ [option]: flags.isOn(flag) } as Record<K, boolean>) : {};

/** Parses `30000-32767`, or `30000+100` for a port and the 100 after it. */
function readPortRange(text: string): readonly [first: number, last: number] {
  const [, from = '', sign, to = ''] = /^(\d{1,5})([-+])(\d{1,5})$/.exec(text) ?? [];
  const first = Number(from);
  const last = sign === '+' ? first + Number(to) : Number(to);
  if (sign === undefined || first < 1 || last > 65_535 || last < first) {
    throw new UsageError(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`);
  }
  return [first, last];
}
