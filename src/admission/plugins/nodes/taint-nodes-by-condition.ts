import type { ApiObject, Brand } from '#api';
import { definePlugin } from '../../plugin.ts';

interface Taint {
  readonly key: string;
  readonly effect: string;
}

type Node = ApiObject & { spec: { taints?: Taint[] | null } };

/**
 * A new node is not ready, and gets no pods, until a controller has seen that it is.
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
