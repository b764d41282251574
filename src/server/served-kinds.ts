import type { Brand, KindDefinition } from '#api';
import { allKinds } from '#kinds';
import { withoutGatedParts } from './gated-parts.ts';
import type { Settings } from './options.ts';
import { configureKinds } from './runtime-config.ts';

/** The kinds of a server: those that are built in and those it was given, as its settings have them. Throws an `Error` that says which part of `runtimeConfig` makes no sense. */
export function servedKinds({ kinds, features, serving, runtimeConfig }: Settings, brand: Brand): readonly KindDefinition[] {
  const gated = withoutGatedParts([...allKinds, ...kinds], features);
  const served = configureKinds(withEventTtl(gated, serving.eventTtlSeconds), brand, runtimeConfig);
  const missing = NEEDED.find((name) => !served.some(({ group, kind }) => group === '' && kind === name));
  if (missing !== undefined) throw new Error(`runtime configuration ${JSON.stringify(runtimeConfig)}: no server can do without ${missing} in v1`);
  return served;
}

/** Kinds of the core group that the server itself reads or makes at its start. */
const NEEDED: readonly string[] = ['Namespace', 'ConfigMap'];

/** Sets the lifetime of events, in both of their groups. Without one they are written like all other objects. */
function withEventTtl(kinds: readonly KindDefinition[], ttlSeconds: number | undefined): readonly KindDefinition[] {
  if (ttlSeconds === undefined) return kinds;
  return kinds.map((kind) => {
    const { ttlSeconds: before, ...rest } = kind;
    if (before === undefined) return kind;
    return ttlSeconds === 0 ? rest : { ...rest, ttlSeconds };
  });
}
