import type { Brand, KindDefinition } from '#api';
import { allKinds } from '#kinds';
import { withoutGatedParts } from './gated-parts.ts';
import type { Settings } from './options.ts';
import { ownKind } from './own-kinds.ts';
import { configureKinds } from './runtime-config.ts';

/** The kinds of a server: those that are built in and those it was given, as its settings have them. Throws an `Error` that says which kind is there twice, or which part of `runtimeConfig` makes no sense. */
export function servedKinds({ kinds, features, serving, runtimeConfig }: Settings, brand: Brand): readonly KindDefinition[] {
  refuseTwins(kinds, brand);
  const gated = withoutGatedParts([...allKinds, ...kinds.map(ownKind)], features);
  const served = configureKinds(withEventTtl(gated, serving.eventTtlSeconds), brand, runtimeConfig);
  const missing = NEEDED.find((name) => !served.some(({ group, kind }) => group === '' && kind === name));
  if (missing !== undefined) throw new Error(`runtime configuration ${JSON.stringify(runtimeConfig)}: no server can do without ${missing} in v1`);
  return served;
}

/** Of two that have a name in common one would not be there, and nobody would be told. */
function refuseTwins(own: readonly KindDefinition[], brand: Brand): void {
  const all = [...allKinds, ...own];
  own.forEach((one, at) => {
    const group = brand.group(one.group);
    const twin = all.slice(0, allKinds.length + at).find((other) => brand.group(other.group) === group && (other.kind === one.kind || other.plural === one.plural));
    if (twin !== undefined) throw new Error(`option kinds: ${twin.kind} (${twin.plural}) and ${one.kind} (${one.plural}) have a name in common in the group ${JSON.stringify(group)}`);
  });
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
