import type { AuthorizationWebhookOptions } from '#authorization';
import type { Authorizer } from '#request';

/** Every mode there is, by the names of the flag. @spec 5.1 */
export const AUTHORIZATION_MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

/** Authorization; named as the flags. @spec 5.1 */
export interface AuthorizationOptions {
  /** Consulted in this order, after `system:masters`, which may do everything. The first that allows or denies decides. Default `RBAC`. */
  readonly modes?: readonly AuthorizationMode[];
  /** The text of the policy file of the mode `ABAC`: one JSON object per line. */
  readonly policy?: string;
  /** The webhook that the mode `Webhook` calls. */
  readonly webhook?: AuthorizationWebhookOptions;
  /** Authorizers of the embedding program, consulted in this order before the modes. Default: none. */
  readonly authorizers?: readonly Authorizer[];
}

const DEFAULT_MODES: readonly AuthorizationMode[] = ['RBAC'];

/** The modes, in order. Throws an `Error` that begins with the name of the option that is wrong. */
export function modesOf({ modes = DEFAULT_MODES, policy, webhook }: AuthorizationOptions): readonly AuthorizationMode[] {
  const known: readonly string[] = AUTHORIZATION_MODES;
  const unknown = modes.find((mode) => !known.includes(mode));
  if (unknown !== undefined) throw new Error(`authorization-mode: ${JSON.stringify(unknown)} is not known; there are ${known.join(', ')}`);
  if (modes.length === 0) throw new Error(`authorization-mode: at least one of ${known.join(', ')} is needed`);
  const twice = modes.find((mode, at) => modes.indexOf(mode) !== at);
  if (twice !== undefined) throw new Error(`authorization-mode: ${twice} is given twice`);
  checkTogether(modes.includes('ABAC'), policy !== undefined, 'ABAC', 'authorization-policy-file');
  checkTogether(modes.includes('Webhook'), webhook !== undefined, 'Webhook', 'authorization-webhook-config-file');
  return modes;
}

function checkTogether(isMode: boolean, isGiven: boolean, mode: AuthorizationMode, flag: string): void {
  if (isMode && !isGiven) throw new Error(`authorization-mode: ${mode} needs --${flag}`);
  if (!isMode && isGiven) throw new Error(`${flag}: is of use with --authorization-mode=${mode} only`);
}

/** With `AlwaysAllow`, anonymous requests are refused (R5.2-05). */
export const mayBeAnonymous = ({ modes = DEFAULT_MODES }: AuthorizationOptions): boolean => !modes.includes('AlwaysAllow');
