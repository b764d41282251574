import type { AuthorizationMode, AuthorizationOptions } from '#server';
import { readKubeconfig, TransportFailure } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

/** The authorization options from the flags, with files read. Whether they are consistent is checked when the server starts. Throws `UsageError`. */
export async function readGivenAuthorization(flags: FlagValues): Promise<AuthorizationOptions> {
  const [policy, webhook] = await Promise.all([readFlagFile(flags, 'authorization-policy-file'), readWebhook(flags)]);
  const modes = flags.list('authorization-mode').flatMap((value) => value.split(',')).map((mode) => mode.trim());
  return {
    ...(modes.length === 0 ? {} : { modes: modes as readonly AuthorizationMode[] }),
    ...(policy === undefined ? {} : { policy }),
    ...(webhook === undefined ? {} : { webhook }),
  };
}

async function readWebhook(flags: FlagValues): Promise<AuthorizationOptions['webhook']> {
  const name = 'authorization-webhook-config-file';
  const file = flags.text(name);
  if (file === undefined) return undefined;
  try {
    return {
      connection: await readKubeconfig(file),
      version: flags.text('authorization-webhook-version') === 'v1' ? 'v1' : 'v1beta1',
      ...ttlOf(flags, 'authorizedTtlMs', 'authorization-webhook-cache-authorized-ttl'),
      ...ttlOf(flags, 'unauthorizedTtlMs', 'authorization-webhook-cache-unauthorized-ttl'),
    };
  } catch (cause) {
    if (cause instanceof TransportFailure) throw new UsageError(`--${name}: ${cause.message}`);
    throw cause;
  }
}

function ttlOf(flags: FlagValues, member: 'authorizedTtlMs' | 'unauthorizedTtlMs', flag: string): { readonly [M in typeof member]?: number } {
  const ms = flags.milliseconds(flag);
  return ms === undefined ? {} : { [member]: ms };
}
