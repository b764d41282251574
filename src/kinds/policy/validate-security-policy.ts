import { checkDnsSubdomain, report } from '#api';
import { goQuoted, goStruct, goTexts, type FieldErrors, type GoValue } from '#errors';
import { allowOneOf, requireText } from '../value-checks.ts';
import { VOLUME_KINDS } from '../core/volume/volume.ts';
import { validateDriverName } from '../core/volume/validate-driver.ts';
import { goList } from '../go-values.ts';
import type { AllowedHostPath, IDRange, PodSecurityPolicySpec, RunAsGroupStrategyOptions, RuntimeClassStrategyOptions } from './security-policy-spec.ts';
import { validateDistinctPatterns, validateSysctlPatterns } from './validate-sysctl-patterns.ts';
import { repeatsIn } from '../repeats.ts';

const SE_LINUX_RULES = ['MustRunAs', 'RunAsAny'];
const USER_RULES = ['MustRunAs', 'MustRunAsNonRoot', 'RunAsAny'];
const RUN_AS_GROUP_RULES = ['MustRunAs', 'RunAsAny', 'MayRunAs'];
const GROUP_RULES = ['MayRunAs', 'MustRunAs', 'RunAsAny'];
/** The volume types, one of which is spelled differently here. */
const VOLUMES: readonly string[] = ['*', ...VOLUME_KINDS.map((kind) => (kind === 'cephfs' ? 'cephFS' : kind)).sort()];
const PROC_MOUNTS = ['Default', 'Unmasked'];
const ANY = '*';

/** Validates the spec. `root`: the path of the object. */
export function validateSecurityPolicySpec(spec: PodSecurityPolicySpec, root: FieldErrors): void {
  const at = root.child('spec');
  validateIdRule(spec.runAsUser, USER_RULES, at.child('runAsUser'));
  if (spec.runAsGroup) validateRunAsGroup(spec.runAsGroup, at.child('runAsGroup'));
  allowOneOf(spec.seLinux.rule, at.child('seLinux', 'rule'), SE_LINUX_RULES);
  validateIdRule(spec.supplementalGroups, GROUP_RULES, at.child('supplementalGroups'));
  validateIdRule(spec.fsGroup, GROUP_RULES, at.child('fsGroup'));
  for (const volume of spec.volumes ?? []) allowOneOf(volume, at.child('volumes'), VOLUMES);
  validateCapabilities(spec, root);
  validateEscalation(spec, at.child('defaultAllowPrivilegeEscalation'));
  for (const [position, type] of (spec.allowedProcMountTypes ?? []).entries()) allowOneOf(type, at.child('allowedProcMountTypes').index(position), PROC_MOUNTS);
  validateHostPaths(spec.allowedHostPaths ?? [], at.child('allowedHostPaths'));
  validateDrivers(spec, at);
  validateSysctlPatterns(spec.allowedUnsafeSysctls ?? [], at.child('allowedUnsafeSysctls'));
  validateSysctlPatterns(spec.forbiddenSysctls ?? [], at.child('forbiddenSysctls'));
  validateDistinctPatterns(spec.allowedUnsafeSysctls ?? [], spec.forbiddenSysctls ?? [], at);
  if (spec.runtimeClass) validateRuntimeClasses(spec.runtimeClass, at.child('runtimeClass'));
}

interface IdRule {
  readonly rule?: string;
  readonly ranges?: readonly IDRange[];
}

function validateIdRule({ rule = '', ranges = [] }: IdRule, rules: readonly string[], at: FieldErrors): void {
  allowOneOf(rule, at.child('rule'), rules);
  validateRanges(ranges, at.child('ranges'));
}

function validateRanges(ranges: readonly IDRange[], at: FieldErrors): void {
  for (const [position, { min, max }] of ranges.entries()) {
    const here = at.index(position);
    if (min < 0) here.child('min').invalid(min, 'min cannot be negative');
    if (max < 0) here.child('max').invalid(max, 'max cannot be negative');
    if (min > max) here.child('min').invalid(min, 'min cannot be greater than max');
  }
}

function validateRunAsGroup({ rule, ranges }: RunAsGroupStrategyOptions, at: FieldErrors): void {
  const count = (ranges ?? []).length;
  if (rule === 'RunAsAny') {
    if (count > 0) at.child('ranges').invalid(goRanges(ranges), 'Ranges must be empty');
  } else if (GROUP_RULES.includes(rule)) {
    if (count === 0) at.child('ranges').invalid(goRanges(ranges), 'must provide at least one range');
    validateRanges(ranges ?? [], at.child('ranges'));
  } else at.child('rule').notSupported(rule, RUN_AS_GROUP_RULES);
}

const goRanges = (ranges: readonly IDRange[] | null | undefined): GoValue =>
  goList('policy.IDRange', ranges?.map(({ min, max }) => goStruct('policy.IDRange', { Min: min, Max: max })));

/** These paths begin at the object and not at the spec, as in kube-apiserver. */
function validateCapabilities(spec: PodSecurityPolicySpec, root: FieldErrors): void {
  const dropped = spec.requiredDropCapabilities ?? [];
  if (dropped.length > 0 && (spec.allowedCapabilities ?? []).includes(ANY)) {
    root.child('requiredDropCapabilities').invalid(goTexts(dropped, 'core.Capability'), 'must be empty when all capabilities are allowed by a wildcard');
  }
  const isDropped = new Set(dropped);
  for (const name of ['defaultAddCapabilities', 'allowedCapabilities'] as const) {
    for (const capability of spec[name] ?? []) {
      if (isDropped.has(capability)) root.child(name).invalid(capability, `capability is listed in ${name} and requiredDropCapabilities`);
    }
  }
}

function validateEscalation({ defaultAllowPrivilegeEscalation, allowPrivilegeEscalation }: PodSecurityPolicySpec, at: FieldErrors): void {
  if (defaultAllowPrivilegeEscalation === true && allowPrivilegeEscalation !== true) {
    at.invalid(true, 'Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true');
  }
}

/** Validation stops at the first missing path, as in kube-apiserver. */
function validateHostPaths(paths: readonly AllowedHostPath[], at: FieldErrors): void {
  for (const [position, { pathPrefix = '' }] of paths.entries()) {
    if (!requireText(pathPrefix, at.index(position), 'is required')) return;
    if (pathPrefix.split('/').includes('..')) at.index(position).invalid(pathPrefix, `must not contain '..'`);
  }
}

/** The paths of drivers contain the field name twice, as in kube-apiserver. */
function validateDrivers(spec: PodSecurityPolicySpec, at: FieldErrors): void {
  for (const [position, { driver }] of (spec.allowedFlexVolumes ?? []).entries()) {
    requireText(driver, at.child('allowedFlexVolumes', 'allowedFlexVolumes').index(position).child('driver'), 'must specify a driver');
  }
  for (const [position, { name }] of (spec.allowedCSIDrivers ?? []).entries()) {
    validateDriverName(name, at.child('allowedCSIDrivers', 'allowedCSIDriver').index(position).child('name'));
  }
}

function validateRuntimeClasses({ allowedRuntimeClassNames, defaultRuntimeClassName }: RuntimeClassStrategyOptions, at: FieldErrors): void {
  const here = at.child('allowedRuntimeClassNames');
  const names = allowedRuntimeClassNames ?? [];
  const repeats = repeatsIn(names);
  for (const [position, name] of names.entries()) {
    if (name !== ANY) report(here.index(position), name, checkDnsSubdomain(name));
    if (repeats.has(position)) here.index(position).duplicate(name);
  }
  if (defaultRuntimeClassName !== undefined) {
    report(at.child('defaultRuntimeClassName'), defaultRuntimeClassName, checkDnsSubdomain(defaultRuntimeClassName));
    if (!names.includes(defaultRuntimeClassName) && !names.includes(ANY)) here.required(`default ${goQuoted(defaultRuntimeClassName)} must be allowed`);
  }
  if (names.includes(ANY) && names.length > 1) here.invalid(names, `if '*' is present, must not specify other RuntimeClass names`);
}
