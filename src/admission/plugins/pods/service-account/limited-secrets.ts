import type { Brand } from '#api';
import type { Account, Container, Pod } from './forms.ts';

/**
 * The refusal of a new pod that uses a secret which its service account does not name, where the account is limited to the secrets it names;
 * undefined: the pod is allowed.
 */
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

/** The same for ephemeral containers that are added to an existing pod. */
export const whyNotJoining = ({ spec }: Pod, account: Account, brand: Brand): string | undefined =>
  isLimited(account, brand) ? whyNotUsed(spec.ephemeralContainers ?? [], 'ephemeral container', account) : undefined;

const isLimited = ({ metadata }: Account, { names }: Brand): boolean =>
  ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(metadata.annotations?.[`${names.domain}/enforce-mountable-secrets`] ?? '');

const namesOf = (secrets: Account['secrets']): ReadonlySet<string | undefined> => new Set((secrets ?? []).map(({ name }) => name));

const notNamed = ({ metadata }: Account, what: string): string => `is not allowed because service account ${metadata.name} does not reference that ${what}`;

/** `what`: the type of the containers. */
function whyNotUsed(containers: readonly Container[], what: string, account: Account): string | undefined {
  const named = namesOf(account.secrets);
  const used = containers.flatMap((container) => secretsOf(container, what)).find(([, secret]) => !named.has(secret));
  return used && `${used[0]} referencing secret.secretName=${JSON.stringify(used[1])} ${notNamed(account, 'secret')}`;
}

/** The secrets that a container's environment variables come from: where they are referenced, and their names. */
function secretsOf({ name, env, envFrom }: Container, what: string): readonly (readonly [where: string, secret: string])[] {
  const single = (env ?? []).flatMap((one) =>
    one.valueFrom?.secretKeyRef === undefined ? [] : [[`${what} ${name} with envVar ${one.name}`, one.valueFrom.secretKeyRef.name ?? ''] as const],
  );
  const whole = (envFrom ?? []).flatMap(({ secretRef }) => (secretRef === undefined ? [] : [[`${what} ${name} with envFrom`, secretRef.name ?? ''] as const]));
  return [...single, ...whole];
}
