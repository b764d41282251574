import { isLongerThan } from '#base';
import { checkDnsLabel, defineKind, report, validateDomainPrefixedPath, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';
import { allowOneOf, requireText } from '../value-checks.ts';
import { validateReference } from './typed-reference-rules.ts';

const SCOPES = ['Cluster', 'Namespace'];
const MAX_CONTROLLER = 250;

class Parameters extends t.message('networking/v1.IngressClassParametersReference', {
  apiGroup: t.maybe.string(1),
  kind: t.string(2).required(),
  name: t.string(3).required(),
  scope: t.maybe.string(4).always().default('Cluster'),
  namespace: t.maybe.string(5),
}) {}

class Spec extends t.message('networking/v1.IngressClassSpec', { controller: t.string(1), parameters: t.perhaps(2, Parameters) }) {}
class Body extends t.message('networking/v1.IngressClass', { spec: t.one(2, Spec) }) {}

export const IngressClass = defineKind(Body, {
  group: 'networking',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  scope: 'Cluster',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body } },
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Controller', type: 'string', description: 'The controller that looks after ingresses of this class.', cell: ({ spec }) => spec.controller ?? '' },
    { name: 'Parameters', type: 'string', description: 'An object with further settings for the controller.', cell: ({ spec }) => parametersOf(spec) },
  ],
  validate({ spec }, live, at) {
    const here = at.child('spec');
    if (live && spec.controller !== live.spec.controller) here.child('controller').invalid(spec.controller ?? '', 'field is immutable');
    validateController(spec.controller ?? '', here.child('controller'));
    if (spec.parameters) validateParameters(spec.parameters, here.child('parameters'));
  },
});
export type IngressClass = ObjectOf<typeof IngressClass>;

function validateController(controller: string, at: FieldErrors): void {
  if (isLongerThan(controller, MAX_CONTROLLER)) at.tooLong(controller, MAX_CONTROLLER);
  if (requireText(controller, at)) validateDomainPrefixedPath(controller, at);
}

function validateParameters(parameters: Parameters, at: FieldErrors): void {
  const { apiGroup, kind, name, namespace } = parameters;
  const scope = parameters.scope ?? undefined;
  validateReference({ ...(apiGroup === undefined ? {} : { apiGroup }), kind, name }, at);
  allowOneOf(scope, at.child('scope'), SCOPES);
  const here = at.child('namespace');
  if (scope === 'Namespace') {
    if (namespace === undefined) here.required(`\`parameters.scope\` is set to 'Namespace'`);
    else report(here, namespace, checkDnsLabel(namespace));
  } else if (scope === 'Cluster' && namespace !== undefined) here.forbidden(`\`parameters.scope\` is set to 'Cluster'`);
}

function parametersOf({ parameters }: Spec): string {
  if (parameters === undefined) return '<none>';
  return `${parameters.kind}${parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`}/${parameters.name}`;
}
