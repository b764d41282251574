import type { ApiObject, Brand, KindObject } from '#api';
import { t } from '#schema';
import { deploymentFields, DeploymentStatus } from './deployment-spec.ts';
import { setRollback } from './rollback-annotation.ts';

/** What extensions/v1beta1 says of numbers that are not limited. */
const NO_LIMIT = 2 ** 31 - 1;

class RollbackConfig extends t.message('apps/v1beta1.RollbackConfig', { revision: t.int64(1) }) {}

class SpecOfApps extends t.message('apps/v1beta1.DeploymentSpec', {
  ...deploymentFields,
  revisionHistoryLimit: t.maybe.int32(6).default(2),
  rollbackTo: t.perhaps(8, RollbackConfig),
}) {}

class RollingUpdateOfExtensions extends t.message('extensions/v1beta1.RollingUpdateDeployment', {
  maxUnavailable: t.maybe.intOrString(1).default(1),
  maxSurge: t.maybe.intOrString(2).default(1),
}) {}

class StrategyOfExtensions extends t.message(
  'extensions/v1beta1.DeploymentStrategy',
  {
    type: t.string(1).default('RollingUpdate'),
    rollingUpdate: t.perhaps(2, RollingUpdateOfExtensions),
  },
  {
    defaults(strategy) {
      if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= {};
    },
  },
) {}

class SpecOfExtensions extends t.message('extensions/v1beta1.DeploymentSpec', {
  ...deploymentFields,
  strategy: t.one(4, StrategyOfExtensions),
  revisionHistoryLimit: t.maybe.int32(6).default(NO_LIMIT),
  rollbackTo: t.perhaps(8, RollbackConfig),
  progressDeadlineSeconds: t.maybe.int32(9).default(NO_LIMIT),
}) {}

export class DeploymentOfApps extends t.message('apps/v1beta1.Deployment', { spec: t.one(2, SpecOfApps), status: t.one(3, DeploymentStatus) }) {}

export class DeploymentOfExtensions extends t.message('extensions/v1beta1.Deployment', { spec: t.one(2, SpecOfExtensions), status: t.one(3, DeploymentStatus) }) {}

/** Converts v1beta1 to v1, where the revision to roll back to is an annotation. Changes the object. */
export function toV1(object: ApiObject, brand: Brand): ApiObject {
  const { rollbackTo, ...spec } = (object as KindObject<DeploymentOfApps | DeploymentOfExtensions>).spec;
  setRollback(object, rollbackTo && (rollbackTo.revision ?? 0), brand);
  return Object.assign(object, { spec });
}
