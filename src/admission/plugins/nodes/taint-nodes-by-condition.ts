import type { ApiObject, Brand } from '#api';
import { definePlugin } from '../../plugin.ts';

interface Taint {
  readonly key: string;
  readonly effect: string;
}

type Node = ApiObject & { spec: { taints?: Taint[] | null } };

/**
 * Taints new nodes as not ready, so that they get no pods until a controller finds them ready.
 * @spec 4.11
 */
export const taintNodesByCondition = definePlugin({
  name: 'TaintNodesByCondition',
  enabled: true,
  band: 'builtin',
  after: ['NodeRestriction'],
  create: ({ brand }) => ({
    on: ['CREATE'],
    kinds: ['/nodes'],
    mutate: ({ object }) => addTaint(object as Node, brand),
  }),
});

function addTaint({ spec }: Node, { names: { domain } }: Brand): void {
  const taint = { key: `node.${domain}/not-ready`, effect: 'NoSchedule' };
  const said = spec.taints ?? [];
  if (!said.some(({ key, effect }) => key === taint.key && effect === taint.effect)) spec.taints = [...said, taint];
}
