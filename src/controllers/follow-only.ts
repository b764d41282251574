import type { ApiObject, KindDefinition } from '#api';
import { openInformer, type ControllerEnv, type InformerOptions } from '#client';

/** The environment with the informer of one kind restricted by a selector: caching the rest would cost memory for nothing. */
export function followOnly<E extends ControllerEnv, T extends ApiObject>(
  env: E,
  kind: KindDefinition<T>,
  selection: Pick<InformerOptions<T>, 'labelSelector' | 'fieldSelector'>,
): E {
  const { client, retryClock, log, signal } = env;
  const informer = openInformer(client.of(kind), { retryClock, log, signal, ...selection });
  const inform = (asked: KindDefinition<never>): unknown => (asked === (kind as unknown) ? informer : env.inform(asked));
  return { ...env, inform: inform as ControllerEnv['inform'] };
}
