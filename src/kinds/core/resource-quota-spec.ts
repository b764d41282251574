import { quantityScalar, t } from '#schema';
import { roundUpAmounts } from './pod/resources.ts';

export class ScopedResourceSelectorRequirement extends t.message('core/v1.ScopedResourceSelectorRequirement', {
  scopeName: t.string(1).required(),
  operator: t.string(2).required(),
  values: t.strings(3),
}) {}

export class ScopeSelector extends t.message(
  'core/v1.ScopeSelector',
  { matchExpressions: t.many(1, ScopedResourceSelectorRequirement) },
  { isAtomic: true },
) {}

export class ResourceQuotaSpec extends t.message(
  'core/v1.ResourceQuotaSpec',
  {
    hard: t.map(1, quantityScalar),
    scopes: t.strings(2),
    scopeSelector: t.perhaps(3, ScopeSelector),
  },
  { defaults: ({ hard }) => roundUpAmounts(hard) },
) {}
