import { t } from '#schema';

export class NodeSelectorRequirement extends t.message('core/v1.NodeSelectorRequirement', {
  key: t.string(1).required(),
  operator: t.string(2).required(),
  values: t.strings(3),
}) {}

export class NodeSelectorTerm extends t.message(
  'core/v1.NodeSelectorTerm',
  {
    matchExpressions: t.many(1, NodeSelectorRequirement),
    matchFields: t.many(2, NodeSelectorRequirement),
  },
  { isAtomic: true },
) {}

export class NodeSelector extends t.message(
  'core/v1.NodeSelector',
  {
    nodeSelectorTerms: t.many(1, NodeSelectorTerm).required(),
  },
  { isAtomic: true },
) {}
