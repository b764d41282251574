import { isJsonObject } from '#base';
import type { Brand } from '#api';
import type { Pod } from '#kinds';
import { definePlugin } from '../../plugin.ts';

const NAME = 'DefaultTolerationSeconds';
const DEFAULT_SECONDS = 300;

/** Node states that pods tolerate for a limited time, and the configuration field with the number of seconds. */
const STATES = { 'not-ready': 'notReadySeconds', unreachable: 'unreachableSeconds' } as const;

type Seconds = Readonly<Record<keyof typeof STATES, number>>;

/**
 * Adds tolerations to pods without any for these states, so that they stay on an unreachable or not ready node for five minutes by default.
 * @spec 4.11
 */
export const defaultTolerationSeconds = definePlugin({
  name: NAME,
  enabled: true,
  band: 'builtin',
  after: ['Priority'],
  create({ brand, config }) {
    const seconds = readConfig(config(NAME));
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods'],
      mutate: ({ object }) => addTolerations(object as Pod, seconds, brand),
    };
  },
});

function addTolerations({ spec }: Pod, seconds: Seconds, { names: { domain } }: Brand): void {
  const said = spec.tolerations ?? [];
  const added = Object.entries(seconds)
    .map(([state, tolerationSeconds]) => ({ key: `node.${domain}/${state}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
    .filter((taint) => !said.some(({ key, effect }) => (!key || key === taint.key) && (!effect || effect === 'NoExecute')));
  if (added.length > 0) spec.tolerations = [...said, ...added];
}

function readConfig(config: unknown): Seconds {
  const given = config ?? {};
  if (!isJsonObject(given)) throw new Error(`admission plugin ${NAME}: the configuration must be an object with ${Object.values(STATES).join(' and ')}`);
  const entries = Object.entries(STATES).map(([state, member]) => {
    const value = given[member] ?? DEFAULT_SECONDS;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Error(`admission plugin ${NAME}: ${member} must be a whole number of seconds`);
    return [state, value];
  });
  return Object.fromEntries(entries) as Seconds;
}
