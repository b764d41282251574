import { LabelSelector } from '#api';
import { t, timeScalar } from '#schema';
import { Condition } from './condition.ts';

const status = {
  observedGeneration: t.int64(1),
  disruptedPods: t.map(2, timeScalar),
  disruptionsAllowed: t.int32(3).required(),
  currentHealthy: t.int32(4).required(),
  desiredHealthy: t.int32(5).required(),
  expectedPods: t.int32(6).required(),
  conditions: t.many(7, Condition, { map: ['type'] }).mergeBy('type'),
};

export class PodDisruptionBudgetSpec extends t.message('policy/v1.PodDisruptionBudgetSpec', {
  minAvailable: t.maybe.intOrString(1),
  selector: t.perhaps(2, LabelSelector).replaceWhole(),
  maxUnavailable: t.maybe.intOrString(3),
}) {}

class SpecV1beta1 extends t.message('policy/v1beta1.PodDisruptionBudgetSpec', {
  minAvailable: t.maybe.intOrString(1),
  selector: t.perhaps(2, LabelSelector),
  maxUnavailable: t.maybe.intOrString(3),
}) {}

export class PodDisruptionBudgetStatus extends t.message('policy/v1.PodDisruptionBudgetStatus', status) {}
class StatusV1beta1 extends t.message('policy/v1beta1.PodDisruptionBudgetStatus', status) {}

export class PodDisruptionBudgetV1 extends t.message('policy/v1.PodDisruptionBudget', {
  spec: t.one(2, PodDisruptionBudgetSpec),
  status: t.one(3, PodDisruptionBudgetStatus),
}) {}

/** The same fields as v1; an empty selector has another meaning. */
export class PodDisruptionBudgetV1beta1 extends t.message('policy/v1beta1.PodDisruptionBudget', {
  spec: t.one(2, SpecV1beta1),
  status: t.one(3, StatusV1beta1),
}) {}
