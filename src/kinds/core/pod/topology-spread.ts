import { LabelSelector } from '#api';
import { t } from '#schema';

export class TopologySpreadConstraint extends t.message('core/v1.TopologySpreadConstraint', {
  maxSkew: t.int32(1).required(),
  topologyKey: t.string(2).required(),
  whenUnsatisfiable: t.string(3).required(),
  labelSelector: t.perhaps(4, LabelSelector),
}) {}
