import { t } from '#schema';

export class ExecAction extends t.message('core/v1.ExecAction', {
  command: t.strings(1),
}) {}

export class HTTPHeader extends t.message('core/v1.HTTPHeader', {
  name: t.string(1).required(),
  value: t.string(2).required(),
}) {}

export class HTTPGetAction extends t.message('core/v1.HTTPGetAction', {
  path: t.string(1).default('/'),
  port: t.intOrString(2).required(),
  host: t.string(3),
  scheme: t.string(4).default('HTTP'),
  httpHeaders: t.many(5, HTTPHeader),
}) {}

export class TCPSocketAction extends t.message('core/v1.TCPSocketAction', {
  port: t.intOrString(1).required(),
  host: t.string(2),
}) {}

export class GRPCAction extends t.message('core/v1.GRPCAction', {
  port: t.int32(1).required(),
  service: t.maybe.string(2).always().default(''),
}) {}
