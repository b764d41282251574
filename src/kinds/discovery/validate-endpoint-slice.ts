import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, checkQualifiedName, isIpv4, parseIp, report, validateMatchLabels } from '#api';
import type { FieldErrors } from '#errors';
import { PROTOCOLS } from '../core/pod/validate-ports.ts';
import { allowOneOf, requireOneOf } from '../value-checks.ts';
import { checkOrdinaryIp } from '../core/validate-endpoints.ts';
import { repeatsIn } from '../repeats.ts';
import type { Endpoint, EndpointPort, EndpointSliceV1 } from './endpoint-slice-v1.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_TOPOLOGY_LABELS = 16;
const MAX_ZONE_HINTS = 8;

export function validateEndpointSlice(slice: EndpointSliceV1, at: FieldErrors): void {
  requireOneOf(slice.addressType, at.child('addressType'), ADDRESS_TYPES);
  validateEndpoints(slice.endpoints ?? [], slice.addressType, at.child('endpoints'));
  validatePorts(slice.ports ?? [], at.child('ports'));
}

function validateEndpoints(endpoints: readonly Endpoint[], addressType: string, at: FieldErrors): void {
  if (endpoints.length > MAX_ENDPOINTS) {
    at.tooMany(endpoints.length, MAX_ENDPOINTS);
    return;
  }
  for (const [position, endpoint] of endpoints.entries()) validateEndpoint(endpoint, addressType, at.index(position));
}

function validateEndpoint({ addresses, nodeName, hostname, deprecatedTopology, hints }: Endpoint, addressType: string, at: FieldErrors): void {
  const here = at.child('addresses');
  const count = (addresses ?? []).length;
  if (count === 0) here.required('must contain at least 1 address');
  else if (count > MAX_ADDRESSES) here.tooMany(count, MAX_ADDRESSES);
  for (const [position, address] of (addresses ?? []).entries()) validateAddress(address, addressType, here.index(position));
  if (nodeName !== undefined) report(at.child('nodeName'), nodeName, checkDnsSubdomain(nodeName));
  const labels = deprecatedTopology ?? {};
  if (Object.keys(labels).length > MAX_TOPOLOGY_LABELS) at.child('deprecatedTopology').tooMany(Object.keys(labels).length, MAX_TOPOLOGY_LABELS);
  validateMatchLabels(labels, at.child('deprecatedTopology'));
  if (hostname !== undefined) report(at.child('hostname'), hostname, checkDnsLabel(hostname));
  validateZoneHints((hints?.forZones ?? []).map(({ name }) => name), at.child('hints', 'forZones'));
}

function validateZoneHints(zones: readonly string[], at: FieldErrors): void {
  if (zones.length > MAX_ZONE_HINTS) {
    at.tooMany(zones.length, MAX_ZONE_HINTS);
    return;
  }
  const repeats = repeatsIn(zones);
  for (const [position, zone] of zones.entries()) {
    const here = at.index(position).child('name');
    if (repeats.has(position)) here.duplicate(zone);
    report(here, zone, checkLabelValue(zone));
  }
}

function validateAddress(address: string, addressType: string, at: FieldErrors): void {
  if (addressType === 'FQDN') validateDomainName(address, at);
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return;
  const ip = parseIp(address);
  if (ip === undefined || isIpv4(ip) !== (addressType === 'IPv4')) at.invalid(address, `must be a valid ${addressType} address`);
  report(at, address, checkOrdinaryIp(address));
}

/** Validates a domain name of at least two labels. A trailing dot is allowed, and left out in faults. */
function validateDomainName(address: string, at: FieldErrors): void {
  if (address === '') {
    at.required();
    return;
  }
  const name = address.endsWith('.') ? address.slice(0, -1) : address;
  const faults = checkDnsSubdomain(name);
  const labels = name.split('.');
  if (faults !== undefined) at.invalid(name, faults.join(','));
  else if (labels.length < 2) at.invalid(name, 'should be a domain with at least two segments separated by dots');
  else {
    const bad = labels.find((label) => checkDnsLabel(label) !== undefined);
    if (bad !== undefined) at.invalid(bad, checkDnsLabel(bad)?.join(',') ?? '');
  }
}

function validatePorts(ports: readonly EndpointPort[], at: FieldErrors): void {
  if (ports.length > MAX_PORTS) {
    at.tooMany(ports.length, MAX_PORTS);
    return;
  }
  const names = new Set<string>();
  for (const [position, { name = '', protocol, appProtocol }] of ports.entries()) {
    const here = at.index(position);
    if (name !== '') report(here.child('name'), name, checkDnsLabel(name));
    if (names.has(name)) here.child('name').duplicate(name);
    names.add(name);
    if (protocol === undefined) here.child('protocol').required();
    else allowOneOf(protocol, here.child('protocol'), PROTOCOLS);
    if (appProtocol !== undefined) report(here.child('appProtocol'), appProtocol, checkQualifiedName(appProtocol));
  }
}
