import { t } from '#schema';
import { TypedLocalObjectReference } from '../core/volume/claim.ts';
import { LoadBalancerStatus } from './load-balancer.ts';

class ServiceBackendPort extends t.message('networking/v1.ServiceBackendPort', {
  name: t.string(1),
  number: t.int32(2),
}) {}

export class IngressServiceBackend extends t.message('networking/v1.IngressServiceBackend', {
  name: t.string(1).required(),
  port: t.one(2, ServiceBackendPort),
}) {}

export class IngressBackend extends t.message('networking/v1.IngressBackend', {
  service: t.perhaps(4, IngressServiceBackend),
  resource: t.perhaps(3, TypedLocalObjectReference),
}) {}

export class IngressTLS extends t.message('networking/v1.IngressTLS', {
  hosts: t.strings(1, 'atomic'),
  secretName: t.string(2),
}) {}

export class HTTPIngressPath extends t.message('networking/v1.HTTPIngressPath', {
  path: t.string(1),
  pathType: t.maybe.string(3).required(),
  backend: t.one(2, IngressBackend).required(),
}) {}

class HTTPIngressRuleValue extends t.message('networking/v1.HTTPIngressRuleValue', {
  paths: t.many(1, HTTPIngressPath, 'atomic').required(),
}) {}

class IngressRuleValue extends t.message('networking/v1.IngressRuleValue', { http: t.perhaps(1, HTTPIngressRuleValue) }) {}

export class IngressRule extends t.message('networking/v1.IngressRule', {
  host: t.string(1),
  value: t.inline(2, IngressRuleValue),
}) {}

export class IngressSpec extends t.message('networking/v1.IngressSpec', {
  ingressClassName: t.maybe.string(4),
  defaultBackend: t.perhaps(1, IngressBackend),
  tls: t.many(2, IngressTLS, 'atomic'),
  rules: t.many(3, IngressRule, 'atomic'),
}) {}

export class IngressStatus extends t.message('networking/v1.IngressStatus', { loadBalancer: t.one(1, LoadBalancerStatus) }) {}
