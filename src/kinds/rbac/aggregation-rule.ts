import { LabelSelector } from '#api';
import { t } from '#schema';

/** Which other roles a role is made of. */
export class AggregationRule extends t.message('rbac/v1.AggregationRule', {
  clusterRoleSelectors: t.many(1, LabelSelector),
}) {}
