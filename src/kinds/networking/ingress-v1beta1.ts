import type { ApiObject, KindObject } from '#api';
import { t } from '#schema';
import { TypedLocalObjectReference } from '../core/volume/claim.ts';
import { IngressStatus, IngressTLS, type IngressBackend, type IngressSpec } from './ingress-spec.ts';

class BackendBeta extends t.message('networking/v1beta1.IngressBackend', {
  serviceName: t.string(1),
  servicePort: t.intOrString(2),
  resource: t.perhaps(3, TypedLocalObjectReference),
}) {}

class PathBeta extends t.message('networking/v1beta1.HTTPIngressPath', {
  path: t.string(1),
  pathType: t.maybe.string(3).default('ImplementationSpecific'),
  backend: t.one(2, BackendBeta).required(),
}) {}

class RuleValueBeta extends t.message('networking/v1beta1.HTTPIngressRuleValue', { paths: t.many(1, PathBeta, 'atomic').required() }) {}

class ValueBeta extends t.message('networking/v1beta1.IngressRuleValue', { http: t.perhaps(1, RuleValueBeta) }) {}

class RuleBeta extends t.message('networking/v1beta1.IngressRule', { host: t.string(1), value: t.inline(2, ValueBeta) }) {}

class SpecBeta extends t.message('networking/v1beta1.IngressSpec', {
  ingressClassName: t.maybe.string(4),
  backend: t.perhaps(1, BackendBeta),
  tls: t.many(2, IngressTLS, 'atomic'),
  rules: t.many(3, RuleBeta, 'atomic'),
}) {}

export class IngressV1Beta1 extends t.message('networking/v1beta1.Ingress', { spec: t.one(2, SpecBeta), status: t.one(3, IngressStatus) }) {}

/** Converts v1beta1 to v1, where a backend has its service in a field of its own. Changes the object. */
export function toV1(object: ApiObject): ApiObject {
  const { backend, rules, ...rest } = (object as KindObject<IngressV1Beta1>).spec;
  const spec: IngressSpec = {
    ...rest,
    ...(backend === undefined ? {} : { defaultBackend: toBackend(backend) }),
    ...(rules ? { rules: rules.map(toRule) } : {}),
  };
  return Object.assign(object, { spec });
}

const toRule = ({ http, ...rule }: RuleBeta): NonNullable<IngressSpec['rules']>[number] => ({
  ...rule,
  ...(http === undefined ? {} : { http: { paths: (http.paths ?? []).map((one) => ({ ...one, pathType: one.pathType ?? '', backend: toBackend(one.backend) })) } }),
});

function toBackend({ serviceName, servicePort, resource }: BackendBeta): IngressBackend {
  const port = typeof servicePort === 'string' ? { name: servicePort } : servicePort === undefined ? {} : { number: servicePort };
  return { ...(serviceName ? { service: { name: serviceName, port } } : {}), ...(resource === undefined ? {} : { resource }) };
}
