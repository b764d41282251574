import { failureText } from '#base';
import { readTracing, type ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

/** The tracing options from the flags. Throws `UsageError` that names the flag. */
export async function readGivenTracing(flags: FlagValues): Promise<Pick<ServerOptions, 'tracing'>> {
  const text = await readFlagFile(flags, 'tracing-config-file');
  if (text === undefined) return {};
  try {
    return { tracing: readTracing(text) };
  } catch (cause) {
    throw new UsageError(`--tracing-config-file: ${failureText(cause)}`);
  }
}
