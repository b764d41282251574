import { t } from '#schema';
import { SELinuxOptions } from '../core/pod/security-context.ts';

export class IDRange extends t.message('policy/v1beta1.IDRange', {
  min: t.int64(1).required(),
  max: t.int64(2).required(),
}) {}

class HostPortRange extends t.message('policy/v1beta1.HostPortRange', {
  min: t.int32(1).required(),
  max: t.int32(2).required(),
}) {}

class SELinuxStrategyOptions extends t.message('policy/v1beta1.SELinuxStrategyOptions', {
  rule: t.string(1).required(),
  seLinuxOptions: t.perhaps(2, SELinuxOptions),
}) {}

class RunAsUserStrategyOptions extends t.message('policy/v1beta1.RunAsUserStrategyOptions', {
  rule: t.string(1).required(),
  ranges: t.many(2, IDRange),
}) {}

export class RunAsGroupStrategyOptions extends t.message('policy/v1beta1.RunAsGroupStrategyOptions', {
  rule: t.string(1).required(),
  ranges: t.many(2, IDRange),
}) {}

class SupplementalGroupsStrategyOptions extends t.message('policy/v1beta1.SupplementalGroupsStrategyOptions', {
  rule: t.string(1),
  ranges: t.many(2, IDRange),
}) {}

class FSGroupStrategyOptions extends t.message('policy/v1beta1.FSGroupStrategyOptions', {
  rule: t.string(1),
  ranges: t.many(2, IDRange),
}) {}

export class AllowedHostPath extends t.message('policy/v1beta1.AllowedHostPath', {
  pathPrefix: t.string(1),
  readOnly: t.bool(2),
}) {}

class AllowedFlexVolume extends t.message('policy/v1beta1.AllowedFlexVolume', { driver: t.string(1).required() }) {}

class AllowedCSIDriver extends t.message('policy/v1beta1.AllowedCSIDriver', { name: t.string(1).required() }) {}

export class RuntimeClassStrategyOptions extends t.message('policy/v1beta1.RuntimeClassStrategyOptions', {
  allowedRuntimeClassNames: t.strings(1).required(),
  defaultRuntimeClassName: t.maybe.string(2),
}) {}

export class PodSecurityPolicySpec extends t.message('policy/v1beta1.PodSecurityPolicySpec', {
  privileged: t.bool(1),
  defaultAddCapabilities: t.strings(2),
  requiredDropCapabilities: t.strings(3),
  allowedCapabilities: t.strings(4),
  volumes: t.strings(5),
  hostNetwork: t.bool(6),
  hostPorts: t.many(7, HostPortRange),
  hostPID: t.bool(8),
  hostIPC: t.bool(9),
  seLinux: t.one(10, SELinuxStrategyOptions).required(),
  runAsUser: t.one(11, RunAsUserStrategyOptions).required(),
  runAsGroup: t.perhaps(22, RunAsGroupStrategyOptions),
  supplementalGroups: t.one(12, SupplementalGroupsStrategyOptions).required(),
  fsGroup: t.one(13, FSGroupStrategyOptions).required(),
  readOnlyRootFilesystem: t.bool(14),
  defaultAllowPrivilegeEscalation: t.maybe.bool(15),
  allowPrivilegeEscalation: t.maybe.bool(16).default(true),
  allowedHostPaths: t.many(17, AllowedHostPath),
  allowedFlexVolumes: t.many(18, AllowedFlexVolume),
  allowedCSIDrivers: t.many(23, AllowedCSIDriver),
  allowedUnsafeSysctls: t.strings(19),
  forbiddenSysctls: t.strings(20),
  allowedProcMountTypes: t.strings(21),
  runtimeClass: t.perhaps(24, RuntimeClassStrategyOptions),
}) {}
