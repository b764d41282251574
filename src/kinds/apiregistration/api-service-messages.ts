import { t } from '#schema';

const HTTPS_PORT = 443;

class ServiceReference extends t.message('apiregistration/v1.ServiceReference', {
  namespace: t.string(1),
  name: t.string(2),
  port: t.maybe.int32(3).default(HTTPS_PORT),
}) {}

export class APIServiceSpec extends t.message('apiregistration/v1.APIServiceSpec', {
  service: t.perhaps(1, ServiceReference),
  group: t.string(2),
  version: t.string(3),
  insecureSkipTLSVerify: t.bool(4),
  caBundle: t.bytes(5, 'atomic'),
  groupPriorityMinimum: t.int32(7).required(),
  versionPriority: t.int32(8).required(),
}) {}

class Condition extends t.message('apiregistration/v1.APIServiceCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(3),
  reason: t.string(4),
  message: t.string(5),
}) {}

export class APIServiceStatus extends t.message('apiregistration/v1.APIServiceStatus', {
  conditions: t.many(1, Condition, { map: ['type'] }).mergeBy('type'),
}) {}
