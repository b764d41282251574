import { t } from '#schema';
import { ExecAction, GRPCAction, HTTPGetAction, TCPSocketAction } from './handlers.ts';

export class ProbeHandler extends t.message('core/v1.ProbeHandler', {
  exec: t.perhaps(1, ExecAction),
  httpGet: t.perhaps(2, HTTPGetAction),
  tcpSocket: t.perhaps(3, TCPSocketAction),
  grpc: t.perhaps(4, GRPCAction),
}) {}

export class Probe extends t.message('core/v1.Probe', {
  probeHandler: t.inline(1, ProbeHandler),
  initialDelaySeconds: t.int32(2),
  timeoutSeconds: t.int32(3).default(1),
  periodSeconds: t.int32(4).default(10),
  successThreshold: t.int32(5).default(1),
  failureThreshold: t.int32(6).default(3),
  terminationGracePeriodSeconds: t.maybe.int64(7),
}) {}
