import type { PodSpec } from '#kinds';

/** A container of a pod. */
export type Container = NonNullable<PodSpec['containers']>[number];
type Context = NonNullable<Container['securityContext']>;
type Shared = 'runAsUser' | 'runAsGroup' | 'runAsNonRoot' | 'seLinuxOptions';

/** What holds for a container: what it says itself, else what its pod says. */
export const effective = <M extends Shared>(own: Context | null | undefined, { securityContext }: Pick<PodSpec, 'securityContext'>, member: M): Context[M] | undefined =>
  own?.[member] ?? (securityContext as Context | null | undefined)?.[member] ?? undefined;
