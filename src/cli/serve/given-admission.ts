import { failureText } from '#base';
import { readAdmissionConfigurationFile, type AdmissionOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

/** The admission options from the flags and the file that one of them names. Throws `UsageError` that names the flag. */
export async function readGivenAdmission(flags: FlagValues): Promise<AdmissionOptions> {
  const file = flags.text('admission-control-config-file');
  return {
    enable: flags.words('enable-admission-plugins'),
    disable: flags.words('disable-admission-plugins'),
    config: { DefaultTolerationSeconds: tolerationSeconds(flags), ...(file === undefined ? {} : await readConfig(file)) },
  };
}

/** The configuration of the one plugin that has flags of its own. @spec 4.11 */
const tolerationSeconds = (flags: FlagValues): object => ({
  notReadySeconds: flags.number('default-not-ready-toleration-seconds'),
  unreachableSeconds: flags.number('default-unreachable-toleration-seconds'),
});

async function readConfig(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await readAdmissionConfigurationFile(file);
  } catch (cause) {
    throw new UsageError(`--admission-control-config-file: ${failureText(cause)}`);
  }
}
