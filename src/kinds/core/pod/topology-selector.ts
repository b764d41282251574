import { t } from '#schema';

export class TopologySelectorLabelRequirement extends t.message('core/v1.TopologySelectorLabelRequirement', {
  key: t.string(1).required(),
  values: t.strings(2).required(),
}) {}

/** The nodes that can use a volume: those with one of the values, for every key. */
export class TopologySelectorTerm extends t.message(
  'core/v1.TopologySelectorTerm',
  { matchLabelExpressions: t.many(1, TopologySelectorLabelRequirement) },
  { isAtomic: true },
) {}
