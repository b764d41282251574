import type { KindDefinition, Subresource } from '#api';
import { runOwnAtOnce } from './run-own.ts';

/** A kind of the embedding program. A hook of it that fails, or that returns a promise, which nobody would wait for, fails the request and is named. */
export function ownKind(kind: KindDefinition): KindDefinition {
  const within = (part: string): Within => ({ kind, part });
  return {
    ...guarded(kind, HOOKS, within('')),
    versions: mapOf(kind.versions, (version, name) => guarded(version, CONVERSIONS, within(` of ${name}`))),
    ...(kind.retired === undefined ? {} : { retired: mapOf(kind.retired, (version, name) => guarded(version, ['up'], within(` of ${name}`))) }),
    ...(kind.grown === undefined ? {} : { grown: guarded(kind.grown, ['fill'], within(' of grown')) }),
    ...(kind.finalizing === undefined ? {} : { finalizing: guarded(kind.finalizing, ['isHeld', 'mark'], within(' of finalizing')) }),
    ...(kind.columns === undefined ? {} : { columns: kind.columns.map((column) => guarded(column, ['cell'], within(` of the column ${JSON.stringify(column.name)}`))) }),
    ...(kind.subresources === undefined ? {} : { subresources: mapOf(kind.subresources, (part, name) => ownPart(part, within(` of ${name}`))) }),
    ...(kind.storedAs === undefined ? {} : { storedAs: ownKind(kind.storedAs) }),
  };
}

const HOOKS = [
  'complete',
  'prepare',
  'completeNamed',
  'refuse',
  'validate',
  'settle',
  'warn',
  'grace',
  'select',
  'refuseField',
  'ended',
  'compareRows',
] as const satisfies readonly (keyof KindDefinition)[];

const CONVERSIONS = ['up', 'down', 'refuseField'] as const;

const ownPart = (part: Subresource, within: Within): Subresource => (part.scaling === undefined ? part : { ...part, scaling: guarded(part.scaling, ['read', 'write'], within) });

const mapOf = <T>(record: Readonly<Record<string, T>>, change: (value: T, name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));

/** Where a hook stands, for whoever reads that it failed. */
interface Within {
  readonly kind: KindDefinition;
  readonly part: string;
}

type Hook = (...given: unknown[]) => unknown;

/** `owner` with those hooks guarded that it has. */
function guarded<T extends object>(owner: T, names: readonly (keyof T & string)[], { kind, part }: Within): T {
  const hooks = names.flatMap((name): readonly (readonly [string, Hook])[] => {
    const hook = owner[name] as Hook | undefined;
    if (hook === undefined) return [];
    const said = `${name}${part} of the kind ${kind.kind}`;
    return [[name, (...given) => runOwnAtOnce(said, () => hook.apply(owner, given), (result) => result)]];
  });
  return { ...owner, ...Object.fromEntries(hooks) };
}
