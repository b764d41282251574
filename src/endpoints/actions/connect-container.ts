import { badRequest } from '#errors';
import type { Pod } from '#kinds';

type Named = readonly { readonly name: string }[] | null | undefined;

const namesOf = (containers: Named): readonly string[] => (containers ?? []).map(({ name }) => name);

/**
 * The name of the container: the requested one, or the only one of the pod. Throws `BadRequest` where the requested one does not exist, or none is
 * requested and there are several or none.
 */
export function containerOf({ metadata: { name: pod = '' }, spec }: Pod, requested: string | undefined): string {
  const ordinary = namesOf(spec.containers);
  const initial = namesOf(spec.initContainers);
  const debugging = namesOf(spec.ephemeralContainers);
  if (requested) {
    if ([...ordinary, ...initial, ...debugging].includes(requested)) return requested;
    throw badRequest(`container ${requested} is not valid for pod ${pod}`);
  }
  const [only, ...others] = ordinary;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${pod}`);
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${[...initial, ...ordinary, ...debugging].join(' ')}]`);
}
