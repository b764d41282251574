import type { ApiObject, Brand } from '#api';
import { definePlugin } from '../../plugin.ts';

const SECONDS = 300;

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

type Pod = ApiObject & { spec: { tolerations?: Toleration[] | null } };

/**
 * Pods stay five minutes on a node that is gone or not ready, unless they say how long themselves.
 * @spec 4.11
 */
export const defaultTolerationSeconds = definePlugin({
  name: 'DefaultTolerationSeconds',
  enabled: true,
  band: 'builtin',
  after: ['Priority'],
  create: ({ brand }) => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/pods'],
    mutate: ({ object }) => addTolerations(object as Pod, brand),
  }),
});

function addTolerations({ spec }: Pod, { names: { domain } }: Brand): void {
  const said = spec.tolerations ?? [];
  const missing = ['not-ready', 'unreachable']
    .map((state) => `node.${domain}/${state}`)
    .filter((taint) => !said.some(({ key, effect }) => (!key || key === taint) && (!effect || effect === 'NoExecute')));
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }));
  if (added.length > 0) spec.tolerations = [...said, ...added];
}
