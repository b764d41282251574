import type { Verb } from '#api';
import { int32Scalar, t } from '#schema';

/** The options of connecting subresources, decoded from the query; never stored. */
export class PodExecOptions extends t.message('core/v1.PodExecOptions', {
  stdin: t.bool(1),
  stdout: t.bool(2),
  stderr: t.bool(3),
  tty: t.bool(4),
  container: t.string(5),
  command: t.strings(6).always(),
}) {}

export class PodAttachOptions extends t.message('core/v1.PodAttachOptions', {
  stdin: t.bool(1),
  stdout: t.bool(2),
  stderr: t.bool(3),
  tty: t.bool(4),
  container: t.string(5),
}) {}

export class PodLogOptions extends t.message('core/v1.PodLogOptions', {
  container: t.string(1),
  follow: t.bool(2),
  previous: t.bool(3),
  sinceSeconds: t.maybe.int64(4),
  sinceTime: t.maybe.time(5),
  timestamps: t.bool(6),
  tailLines: t.maybe.int64(7),
  limitBytes: t.maybe.int64(8),
  insecureSkipTLSVerifyBackend: t.bool(9),
}) {}

export class PodPortForwardOptions extends t.message('core/v1.PodPortForwardOptions', { ports: t.many(1, int32Scalar) }) {}

export class PodProxyOptions extends t.message('core/v1.PodProxyOptions', { path: t.string(1) }) {}

export class NodeProxyOptions extends t.message('core/v1.NodeProxyOptions', { path: t.string(1) }) {}

export class ServiceProxyOptions extends t.message('core/v1.ServiceProxyOptions', { path: t.string(1) }) {}

/** The options by kind. */
export const CONNECT_OPTIONS = {
  NodeProxyOptions,
  PodAttachOptions,
  PodExecOptions,
  PodLogOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  ServiceProxyOptions,
} as const;

export const PROXY_VERBS: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
