import { int64Scalar, t } from '#schema';
import { SeccompProfile, SELinuxOptions, WindowsSecurityContextOptions } from './security-context.ts';

export class Sysctl extends t.message('core/v1.Sysctl', {
  name: t.string(1).required(),
  value: t.string(2).required(),
}) {}

export class PodSecurityContext extends t.message('core/v1.PodSecurityContext', {
  seLinuxOptions: t.perhaps(1, SELinuxOptions),
  windowsOptions: t.perhaps(8, WindowsSecurityContextOptions),
  runAsUser: t.maybe.int64(2),
  runAsGroup: t.maybe.int64(6),
  runAsNonRoot: t.maybe.bool(3),
  supplementalGroups: t.many(4, int64Scalar),
  fsGroup: t.maybe.int64(5),
  sysctls: t.many(7, Sysctl),
  fsGroupChangePolicy: t.maybe.string(9),
  seccompProfile: t.perhaps(10, SeccompProfile),
}) {}
