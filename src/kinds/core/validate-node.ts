import { checkCidr, checkLabelValue, checkQualifiedName, parseCidr, report } from '#api';
import { goQuoted, goStruct, GoValue, type FieldErrors } from '#errors';
import type { NodeSpec, Taint } from './node-spec.ts';
import type { NodeStatus } from './node-status.ts';
import type { PodRules } from './pod/pod-rules.ts';
import { validateAmount } from './pod/validate-resources.ts';
import { repeatsIn } from '../repeats.ts';
import { validateNodeAnnotations } from './validate-node-annotations.ts';
import { validateNodeConfigSource, validateNodeConfigStatus } from './validate-node-config.ts';

/** The validated parts of a node. */
export interface NodeParts {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates a node. `at`: the path of the object; kube-apiserver reports taints below the metadata. */
export function validateNodeContent({ metadata, spec, status }: NodeParts, at: FieldErrors, rules: PodRules): void {
  validateAnnotations(metadata, at, rules);
  validateTaints(spec.taints ?? [], at.child('metadata', 'taints'));
  validateResources(status, at.child('status'), rules);
  validateRanges(spec.podCIDRs ?? [], at.child('spec', 'podCIDRs'));
}

/** Validates an update: pod CIDRs and provider ID can be set once. */
export function validateNodeChange({ metadata, spec: next, status }: NodeParts, { spec: live }: NodeParts, at: FieldErrors, rules: PodRules): void {
  validateAnnotations(metadata, at, rules);
  validateResources(status, at.child('status'), rules);
  validateAddresses(status.addresses ?? [], at.child('status', 'addresses'));
  validateRangesKept(next.podCIDRs ?? [], live.podCIDRs ?? [], at.child('spec', 'podCIDRs'));
  if (live.providerID && next.providerID !== live.providerID) at.child('spec', 'providerID').forbidden('node updates may not change providerID except from "" to valid');
  if (next.configSource !== undefined) validateNodeConfigSource(next.configSource, at.child('spec', 'configSource'));
  if (status.config !== undefined) validateNodeConfigStatus(status.config, at.child('status', 'config'));
  validateTaints(next.taints ?? [], at.child('metadata', 'taints'));
  if ((next.externalID ?? '') !== (live.externalID ?? '')) at.child('spec', 'externalID').forbidden('may not be updated');
}

const validateAnnotations = ({ annotations = {} }: NodeParts['metadata'], at: FieldErrors, { brand }: PodRules): void =>
  validateNodeAnnotations(annotations, at.child('metadata', 'annotations'), brand, validateTaints);

/** Reported once for each changed range, or once where their number changes. */
function validateRangesKept(next: readonly string[], live: readonly string[], at: FieldErrors): void {
  if (live.length === 0) return;
  const changes = next.length === live.length ? live.filter((range, position) => range !== next[position]).length : 1;
  for (let change = 0; change < changes; change++) at.forbidden('node updates may not change podCIDR except from "" to valid');
}

function validateTaints(taints: readonly Taint[], at: FieldErrors): void {
  const seen = new Set<string>();
  for (const [position, taint] of taints.entries()) {
    const { key, value = '', effect } = taint;
    const place = at.index(position);
    report(place.child('key'), key, checkQualifiedName(key));
    validateValue(value, place.child('value'));
    if (effect === '') place.child('effect').required();
    else if (!EFFECTS.includes(effect)) place.child('effect').notSupported(effect, EFFECTS);
    const name = `${effect} ${key}`;
    if (seen.has(name)) place.duplicate(showTaint(taint), 'taints must be unique by key and effect pair');
    seen.add(name);
  }
}

/** All that is wrong with a value is one fault. */
function validateValue(value: string, at: FieldErrors): void {
  const faults = checkLabelValue(value);
  if (faults !== undefined) at.invalid(value, faults.join(';'));
}

function showTaint({ key, value = '', effect, timeAdded }: Taint): GoValue {
  return goStruct('core.Taint', { Key: key, Value: value, Effect: effect, TimeAdded: new GoValue(timeAdded ?? '<nil>') });
}

function validateResources({ capacity, allocatable }: NodeStatus, at: FieldErrors, rules: PodRules): void {
  validateAmounts(capacity ?? {}, at.child('capacity'), rules);
  validateAmounts(allocatable ?? {}, at.child('allocatable'), rules);
}

function validateAmounts(amounts: Readonly<Record<string, string>>, at: FieldErrors, rules: PodRules): void {
  for (const [name, amount] of Object.entries(amounts)) validateAmount(name, amount, at.child(name), rules);
}

function validateRanges(ranges: readonly string[], at: FieldErrors): void {
  for (const [position, range] of ranges.entries()) if (checkCidr(range) !== undefined) at.index(position).invalid(ranges, 'must be valid CIDR');
  if (ranges.length < 2) return;
  const odd = ranges.find((range) => parseCidr(range) === undefined);
  if (odd !== undefined) at.internal(`invalid PodCIDRs. failed to check with dual stack with error:failed to parse cidr value:${goQuoted(odd)} with error:invalid CIDR address: ${odd}`);
  const families = new Set(ranges.map((range) => range.includes(':')));
  if (odd !== undefined || ranges.length > 2 || families.size < 2) at.invalid(ranges, 'may specify no more than one CIDR for each IP family');
  for (const position of repeatsIn(ranges)) at.index(position).duplicate(ranges[position]);
}

function validateAddresses(addresses: NonNullable<NodeStatus['addresses']>, at: FieldErrors): void {
  const repeats = repeatsIn(addresses.map(({ type, address }) => `${type} ${address}`));
  for (const [position, { type, address }] of addresses.entries()) {
    if (repeats.has(position)) at.index(position).duplicate(goStruct('core.NodeAddress', { Type: type, Address: address }));
  }
}
