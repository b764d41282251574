import { goTexts, type FieldErrors } from '#errors';
import { t } from '#schema';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** The resources that a webhook is called for. */
class Rule extends t.message('admissionregistration/v1.Rule', {
  apiGroups: t.strings(1),
  apiVersions: t.strings(2),
  resources: t.strings(3),
  scope: t.maybe.string(4).default('*'),
}) {}

/** The operations and resources that a webhook is called for. */
export class RuleWithOperations extends t.message('admissionregistration/v1.RuleWithOperations', {
  operations: t.strings(1),
  rule: t.inline(2, Rule),
}) {}

export function validateWebhookRule(rule: RuleWithOperations, at: FieldErrors): void {
  const { operations, apiVersions, resources, scope } = rule;
  validateChoice(operations ?? [], 'operations', at.child('operations'), 'admissionregistration.OperationType');
  for (const [position, operation] of (operations ?? []).entries()) {
    if (!OPERATIONS.includes(operation)) at.child('operations').index(position).notSupported(operation, OPERATIONS);
  }
  validateChoice(rule.apiGroups ?? [], 'API groups', at.child('apiGroups'));
  validateChoice(apiVersions ?? [], 'API versions', at.child('apiVersions'));
  for (const [position, version] of (apiVersions ?? []).entries()) {
    if (version === '') at.child('apiVersions').index(position).required();
  }
  validateResources(resources ?? [], at.child('resources'));
  if (scope !== undefined && !SCOPES.includes(scope)) at.child('scope').notSupported(scope, SCOPES);
}

/** Checks that a list is not empty, and that `*` is its only entry. */
function validateChoice(list: readonly string[], what: string, at: FieldErrors, type = 'string'): void {
  if (list.length === 0) at.required();
  if (list.length > 1 && list.includes('*')) at.invalid(goTexts(list, type), `if '*' is present, must not specify other ${what}`);
}

function validateResources(resources: readonly string[], at: FieldErrors): void {
  if (resources.length === 0) at.required();
  validateSubresources(resources, at);
  if (resources.length > 1 && resources.includes('*/*')) at.invalid(resources, `if '*/*' is present, must not specify other resources`);
  const lastPlain = resources.findLast((one) => one !== '' && !one.includes('/'));
  if (resources.includes('*') && lastPlain !== undefined && lastPlain !== '*') {
    at.invalid(resources, `if '*' is present, must not specify other resources without subresources`);
  }
}

/** `x/*` covers every subresource of `x`, and `*` + `/x` the subresource `x` of every resource: later entries must not be covered by earlier ones. */
function validateSubresources(resources: readonly string[], at: FieldErrors): void {
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const [position, text] of resources.entries()) {
    const place = at.index(position);
    if (text === '') place.required();
    const slash = text.indexOf('/');
    if (slash < 0) continue;
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    if (wholeResources.has(resource)) place.invalid(text, `if '${resource}/*' is present, must not specify ${text}`);
    if (wholeSubresources.has(subresource)) place.invalid(text, `if '*/${subresource}' is present, must not specify ${text}`);
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
}
