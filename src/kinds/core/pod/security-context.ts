import { t } from '#schema';

export class Capabilities extends t.message('core/v1.Capabilities', {
  add: t.strings(1),
  drop: t.strings(2),
}) {}

export class SELinuxOptions extends t.message('core/v1.SELinuxOptions', {
  user: t.string(1),
  role: t.string(2),
  type: t.string(3),
  level: t.string(4),
}) {}

export class WindowsSecurityContextOptions extends t.message('core/v1.WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: t.maybe.string(1),
  gmsaCredentialSpec: t.maybe.string(2),
  runAsUserName: t.maybe.string(3),
  hostProcess: t.maybe.bool(4),
}) {}

export class SeccompProfile extends t.message('core/v1.SeccompProfile', {
  type: t.string(1).required(),
  localhostProfile: t.maybe.string(2),
}) {}

export class SecurityContext extends t.message('core/v1.SecurityContext', {
  capabilities: t.perhaps(1, Capabilities),
  privileged: t.maybe.bool(2),
  seLinuxOptions: t.perhaps(3, SELinuxOptions),
  windowsOptions: t.perhaps(10, WindowsSecurityContextOptions),
  runAsUser: t.maybe.int64(4),
  runAsGroup: t.maybe.int64(8),
  runAsNonRoot: t.maybe.bool(5),
  readOnlyRootFilesystem: t.maybe.bool(6),
  allowPrivilegeEscalation: t.maybe.bool(7),
  procMount: t.maybe.string(9),
  seccompProfile: t.perhaps(11, SeccompProfile),
}) {}
