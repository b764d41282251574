import { blockHas, checkPortName, checkPortNumber, parseCidr, report, validateLabelSelector } from '#api';
import { goTexts, type FieldErrors } from '#errors';
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from './network-policy-spec.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

/** @spec 2.9 */
export function validateNetworkPolicySpec(spec: NetworkPolicySpec, at: FieldErrors): void {
  validateLabelSelector(spec.podSelector, at.child('podSelector'));
  for (const [position, { ports, from }] of (spec.ingress ?? []).entries()) {
    const rule = at.child('ingress').index(position);
    validatePorts(ports, rule.child('ports'));
    validatePeers(from, rule.child('from'));
  }
  for (const [position, { ports, to }] of (spec.egress ?? []).entries()) {
    const rule = at.child('egress').index(position);
    validatePorts(ports, rule.child('ports'));
    validatePeers(to, rule.child('to'));
  }
  validatePolicyTypes(spec.policyTypes ?? [], at.child('policyTypes'));
}

function validatePolicyTypes(types: readonly string[], at: FieldErrors): void {
  if (types.length > POLICY_TYPES.length) {
    at.invalid(goTexts(types, 'networking.PolicyType'), 'may not specify more than two policyTypes');
    return;
  }
  for (const [position, type] of types.entries()) {
    if (!POLICY_TYPES.includes(type)) at.index(position).notSupported(type, POLICY_TYPES);
  }
}

function validatePorts(ports: readonly NetworkPolicyPort[] | undefined, at: FieldErrors): void {
  for (const [position, port] of (ports ?? []).entries()) validatePort(port, at.index(position));
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, at: FieldErrors): void {
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) at.child('protocol').notSupported(protocol, PROTOCOLS);
  if (typeof port === 'number') report(at.child('port'), port, checkPortNumber(port));
  if (endPort !== undefined) validateEndPort(port, endPort, at.child('endPort'));
  if (typeof port === 'string') report(at.child('port'), port, checkPortName(port));
}

function validateEndPort(port: number | string | undefined, endPort: number, at: FieldErrors): void {
  if (port === undefined) at.invalid(endPort, 'may not be specified when `port` is not specified');
  else if (typeof port === 'string') at.invalid(endPort, 'may not be specified when `port` is non-numeric');
  else {
    if (endPort < port) at.invalid(port, 'must be greater than or equal to `port`');
    report(at, endPort, checkPortNumber(endPort));
  }
}

function validatePeers(peers: readonly NetworkPolicyPeer[] | undefined, at: FieldErrors): void {
  for (const [position, peer] of (peers ?? []).entries()) validatePeer(peer, at.index(position));
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, at: FieldErrors): void {
  validateLabelSelector(podSelector, at.child('podSelector'));
  validateLabelSelector(namespaceSelector, at.child('namespaceSelector'));
  if (ipBlock !== undefined) validateIpBlock(ipBlock, at.child('ipBlock'));
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) at.required('must specify a peer');
  if (hasSelector && ipBlock !== undefined) at.forbidden('may not specify both ipBlock and another peer');
}

/** Validation stops at the first malformed exception, as in kube-apiserver. */
function validateIpBlock({ cidr, except }: IPBlock, at: FieldErrors): void {
  const block = parseCidr(cidr);
  if (cidr === '') at.child('cidr').required();
  else if (block === undefined) at.child('cidr').invalid(cidr, 'not a valid CIDR');
  if (block === undefined) return;
  for (const [position, text] of (except ?? []).entries()) {
    const hole = parseCidr(text);
    const place = at.child('except').index(position);
    if (hole === undefined) {
      place.invalid(text, 'not a valid CIDR');
      return;
    }
    if (hole.prefixLength <= block.prefixLength || !blockHas(block, hole.network))
      place.invalid(text, 'must be a strict subset of `cidr`');
  }
}
