import { checkDnsLabel, checkDnsSubdomain, checkIp, checkPortNumber, checkQualifiedName, parseIp, report, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import type { EndpointAddress, EndpointPort, EndpointSubset } from './endpoints-spec.ts';
import { PROTOCOLS } from './pod/validate-ports.ts';
import { requireOneOf } from '../value-checks.ts';

export function validateEndpointSubsets(subsets: readonly EndpointSubset[], at: FieldErrors): void {
  for (const [position, { addresses, notReadyAddresses, ports }] of subsets.entries()) {
    const here = at.index(position);
    if ((addresses ?? []).length === 0 && (notReadyAddresses ?? []).length === 0) here.required('must specify `addresses` or `notReadyAddresses`');
    validateAddresses(addresses ?? [], here.child('addresses'));
    validateAddresses(notReadyAddresses ?? [], here.child('notReadyAddresses'));
    for (const [portPosition, port] of (ports ?? []).entries()) validatePort(port, (ports ?? []).length > 1, here.child('ports').index(portPosition));
  }
}

function validateAddresses(addresses: readonly EndpointAddress[], at: FieldErrors): void {
  for (const [position, { ip, hostname, nodeName }] of addresses.entries()) {
    const here = at.index(position);
    report(here.child('ip'), ip, checkIp(ip));
    if (hostname) report(here.child('hostname'), hostname, checkDnsLabel(hostname));
    if (nodeName !== undefined) report(here.child('nodeName'), nodeName, checkDnsSubdomain(nodeName));
    report(here.child('ip'), ip, checkOrdinaryIp(ip));
  }
}

/** Refuses special addresses, such as loopback or link-local ones: a service could reach what it must not. */
export function checkOrdinaryIp(text: string): Faults {
  const ip = parseIp(text);
  if (ip === undefined) return ['must be a valid IP address'];
  const v4 = ip.length === 4 ? ip : ip.slice(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 255)) ? ip.slice(12) : undefined;
  const faults = (v4 === undefined ? SPECIAL_V6 : SPECIAL_V4).filter(({ is }) => is(v4 ?? ip)).map(({ why }) => `may not be ${why === UNSPECIFIED ? `${UNSPECIFIED} (${text})` : why}`);
  return faults.length === 0 ? undefined : faults;
}

interface Special {
  readonly why: string;
  is(ip: readonly number[]): boolean;
}

/** The only fault that shows the address. */
const UNSPECIFIED = 'unspecified';

const SPECIAL_V4: readonly Special[] = [
  { why: UNSPECIFIED, is: (ip) => ip.every((byte) => byte === 0) },
  { why: 'in the loopback range (127.0.0.0/8, ::1/128)', is: ([first]) => first === 127 },
  { why: 'in the link-local range (169.254.0.0/16, fe80::/10)', is: ([first, second]) => first === 169 && second === 254 },
  { why: 'in the link-local multicast range (224.0.0.0/24, ff02::/10)', is: ([first, second, third]) => first === 224 && second === 0 && third === 0 },
];

const SPECIAL_V6: readonly Special[] = [
  { why: UNSPECIFIED, is: (ip) => ip.every((byte) => byte === 0) },
  { why: 'in the loopback range (127.0.0.0/8, ::1/128)', is: (ip) => ip.every((byte, at) => byte === (at === 15 ? 1 : 0)) },
  { why: 'in the link-local range (169.254.0.0/16, fe80::/10)', is: ([first, second = 0]) => first === 0xfe && (second & 0xc0) === 0x80 },
  { why: 'in the link-local multicast range (224.0.0.0/24, ff02::/10)', is: ([first, second = 0]) => first === 0xff && (second & 0x0f) === 2 },
];

function validatePort({ name, port, protocol, appProtocol }: EndpointPort, isOneOfMany: boolean, at: FieldErrors): void {
  if (isOneOfMany && !name) at.child('name').required();
  if (name) report(at.child('name'), name, checkDnsLabel(name));
  report(at.child('port'), port, checkPortNumber(port));
  requireOneOf(protocol, at.child('protocol'), PROTOCOLS);
  if (appProtocol !== undefined) report(at.child('appProtocol'), appProtocol, checkQualifiedName(appProtocol));
}
