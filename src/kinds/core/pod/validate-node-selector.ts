import { checkDnsSubdomain, checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './node-selector.ts';

/** Validates a node selector: at least one term, each a list of requirements on labels or fields. */
export function validateNodeSelector(selector: NodeSelector, at: FieldErrors): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const here = at.child('nodeSelectorTerms');
  if (terms.length === 0) here.required('must have at least one node selector term');
  for (const [position, term] of terms.entries()) validateNodeSelectorTerm(term, here.index(position));
}

export function validateNodeSelectorTerm(term: NodeSelectorTerm, at: FieldErrors): void {
  for (const [position, one] of (term.matchExpressions ?? []).entries()) validateLabels(one, at.child('matchExpressions').index(position));
  for (const [position, one] of (term.matchFields ?? []).entries()) validateFields(one, at.child('matchFields').index(position));
}

function validateLabels({ key, operator, values }: NodeSelectorRequirement, at: FieldErrors): void {
  const count = (values ?? []).length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) at.child('values').required(`must be specified when \`operator\` is 'In' or 'NotIn'`);
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) at.child('values').forbidden(`may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`);
      break;
    case 'Gt':
    case 'Lt':
      if (count !== 1) at.child('values').required(`must be specified single value when \`operator\` is 'Lt' or 'Gt'`);
      break;
    default:
      at.child('operator').invalid(operator, 'not a valid selector operator');
  }
  report(at.child('key'), key, checkQualifiedName(key));
}

/** The only field that can be selected is the name. */
function validateFields({ key, operator, values }: NodeSelectorRequirement, at: FieldErrors): void {
  if (operator !== 'In' && operator !== 'NotIn') at.child('operator').invalid(operator, 'not a valid selector operator');
  else if ((values ?? []).length !== 1) {
    at.child('values').required(`must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`);
  }
  if (key !== 'metadata.name') {
    at.child('key').invalid(key, 'not a valid field selector key');
    return;
  }
  for (const [position, value] of (values ?? []).entries()) report(at.child('values').index(position), value, checkDnsSubdomain(value));
}
