import { CONTAINER_LISTS, type Pod } from '#kinds';
import { definePlugin, refuse, type AdmissionRequest } from '../../plugin.ts';

/**
 * Sets the image pull policy to `Always`, so that no pod can use an image that another pod's credentials pulled to the node.
 * @spec 4.11
 */
export const alwaysPullImages = definePlugin({
  name: 'AlwaysPullImages',
  enabled: false,
  band: 'builtin',
  after: ['TaintNodesByCondition'],
  create: () => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/pods'],
    mutate(request) {
      if (!bringsImages(request)) return;
      for (const [, container] of placedContainers(request.object as Pod)) container.imagePullPolicy = 'Always';
    },
    validate(request) {
      if (!bringsImages(request)) return;
      const wrong = placedContainers(request.object as Pod).find(([, container]) => container.imagePullPolicy !== 'Always');
      if (wrong === undefined) return;
      const [place, { imagePullPolicy = '' }] = wrong;
      throw refuse(request, `${place}.imagePullPolicy: Unsupported value: ${JSON.stringify(imagePullPolicy)}: supported values: "Always"`);
    },
  }),
});

interface Pulled {
  image?: string;
  imagePullPolicy?: string;
}

const placedContainers = ({ spec }: Pod): readonly (readonly [place: string, container: Pulled])[] =>
  CONTAINER_LISTS.flatMap((list) =>
    (spec[list] ?? []).map((container: Pulled, index: number) => [`spec.${list}[${index}]`, container] as const),
  );

/** Whether a request adds images: an existing pod keeps its pull policies as long as its images stay. */
function bringsImages({ object, live }: AdmissionRequest): boolean {
  if (live === undefined) return true;
  const known = new Set(placedContainers(live as Pod).map(([, { image }]) => image));
  return placedContainers(object as Pod).some(([, { image }]) => !known.has(image));
}
