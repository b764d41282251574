import { t } from '#schema';
import { ExecAction, HTTPGetAction, TCPSocketAction } from './handlers.ts';

export class LifecycleHandler extends t.message('core/v1.LifecycleHandler', {
  exec: t.perhaps(1, ExecAction),
  httpGet: t.perhaps(2, HTTPGetAction),
  tcpSocket: t.perhaps(3, TCPSocketAction),
}) {}

export class Lifecycle extends t.message('core/v1.Lifecycle', {
  postStart: t.perhaps(1, LifecycleHandler),
  preStop: t.perhaps(2, LifecycleHandler),
}) {}
