import type { ApiObject, Brand, KindObject } from '#api';
import { t } from '#schema';
import { daemonSetFields, DaemonSetStatus, RollingUpdateDaemonSet } from './daemon-set-spec.ts';

class StrategyBeta extends t.message(
  'extensions/v1beta1.DaemonSetUpdateStrategy',
  {
    type: t.string(1).default('OnDelete'),
    rollingUpdate: t.perhaps(2, RollingUpdateDaemonSet),
  },
  {
    defaults(strategy) {
      if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= {};
    },
  },
) {}

class SpecBeta extends t.message('extensions/v1beta1.DaemonSetSpec', {
  ...daemonSetFields,
  updateStrategy: t.one(3, StrategyBeta),
  templateGeneration: t.int64(5),
}) {}

/** As it was in `extensions`. */
export class DaemonSetV1Beta1 extends t.message('extensions/v1beta1.DaemonSet', { spec: t.one(2, SpecBeta), status: t.one(3, DaemonSetStatus) }) {}

/** Converts v1beta1 to v1, where the number of template changes is an annotation. Changes the object. */
export function toV1(object: ApiObject, { names }: Brand): ApiObject {
  const { templateGeneration = 0, ...spec } = (object as KindObject<DaemonSetV1Beta1>).spec;
  object.metadata.annotations = { ...object.metadata.annotations, [names.templateGenerationAnnotation]: String(templateGeneration) };
  return Object.assign(object, { spec });
}
