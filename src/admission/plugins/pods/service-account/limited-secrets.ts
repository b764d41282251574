import type { Brand } from '#api';
import type { Account, Container, Pod } from './forms.ts';

/** Why a new pod of this account uses secrets that it may not: an account may be limited to the secrets it names. undefined: it may use all it does. */
export function whyNotSecret({ spec }: Pod, account: Account, brand: Brand): string | undefined {
  if (!isLimited(account, brand)) return undefined;
  const named = namesOf(account.secrets);
  const volume = (spec.volumes ?? []).find(({ secret }) => secret !== undefined && !named.has(secret.secretName));
  if (volume !== undefined) return `volume with secret.secretName=${JSON.stringify(volume.secret?.secretName ?? '')} ${notNamed(account, 'secret')}`;
  const used = whyNotUsed([...(spec.initContainers ?? []), ...(spec.containers ?? [])], 'container', account);
  if (used !== undefined) return used;
  const pulls = namesOf(account.imagePullSecrets);
  const at = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pulls.has(name));
  const pull = spec.imagePullSecrets?.[at];
  return pull === undefined ? undefined : `imagePullSecrets[${at}].name=${JSON.stringify(pull.name ?? '')} ${notNamed(account, 'imagePullSecret')}`;
}

/** The same of containers that join a pod after it was made. */
export const whyNotJoining = ({ spec }: Pod, account: Account, brand: Brand): string | undefined =>
  isLimited(account, brand) ? whyNotUsed(spec.ephemeralContainers ?? [], 'ephemeral container', account) : undefined;

const isLimited = ({ metadata }: Account, { names }: Brand): boolean =>
  ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(metadata.annotations?.[`${names.domain}/enforce-mountable-secrets`] ?? '');

const namesOf = (secrets: Account['secrets']): ReadonlySet<string | undefined> => new Set((secrets ?? []).map(({ name }) => name));

const notNamed = ({ metadata }: Account, what: string): string => `is not allowed because service account ${metadata.name} does not reference that ${what}`;

/** `what`: the sort of containers. */
function whyNotUsed(containers: readonly Container[], what: string, account: Account): string | undefined {
  const named = namesOf(account.secrets);
  const used = containers.flatMap((container) => secretsOf(container, what)).find(([, secret]) => !named.has(secret));
  return used && `${used[0]} referencing secret.secretName=${JSON.stringify(used[1])} ${notNamed(account, 'secret')}`;
}

/** Secrets that a container's variables come from: where, and which. */
function secretsOf({ name, env, envFrom }: Container, what: string): readonly (readonly [where: string, secret: string])[] {
  const single = (env ?? []).flatMap((one) =>
    one.valueFrom?.secretKeyRef === undefined ? [] : [[`${what} ${name} with envVar ${one.name}`, one.valueFrom.secretKeyRef.name ?? ''] as const],
  );
  const whole = (envFrom ?? []).flatMap(({ secretRef }) => (secretRef === undefined ? [] : [[`${what} ${name} with envFrom`, secretRef.name ?? ''] as const]));
  return [...single, ...whole];
}
