import { checkCertificatePair, failureText, type Clock } from '#base';
import type { IdentityFiles, TlsMaterial, TlsOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { fillCertDir } from './cert-dir.ts';
import { UsageError } from '../usage-error.ts';
import { readFileOf, readGivenCertificates } from './given-files.ts';

/** The TLS options: from the flags, with defaults from the data folder. Throws `UsageError` that names the flag. */
export async function readGivenTls(flags: FlagValues, identity: IdentityFiles, clock: Pick<Clock, 'nowMs'>): Promise<TlsOptions> {
  const read = (): Promise<TlsMaterial> => readMaterial(flags, identity, clock);
  const { proxyCa: _, ...material } = await read();
  const minVersion = flags.text('tls-min-version');
  const cipherSuites = flags.words('tls-cipher-suites');
  return { ...material, cipherSuites, ...(minVersion === undefined ? {} : { minVersion }), read };
}

async function readMaterial(flags: FlagValues, { authority, servingAt }: IdentityFiles, clock: Pick<Clock, 'nowMs'>): Promise<TlsMaterial> {
  const generated = (): ReturnType<typeof servingAt> => servingAt(clock.nowMs());
  await fillCertDir(flags, authority, generated);
  const [given, sniCertificates] = await Promise.all([readGivenCertificates(flags), Promise.all(flags.list(SNI).map(readNamed))]);
  const { proxyCa } = given;
  return {
    ...(given.certificate ?? (await generated())),
    clientCa: [authority.cert, given.clientCa].filter((pem) => pem !== undefined).join('\n'),
    ...(proxyCa === undefined ? {} : { proxyCa }),
    ...(sniCertificates.length === 0 ? {} : { sniCertificates }),
  };
}

const SNI = 'tls-sni-cert-key';

/** Reads a certificate for SNI, given as `cert,key` or `cert,key:name,*.name`. */
async function readNamed(text: string): Promise<NonNullable<TlsMaterial['sniCertificates']>[number]> {
  const [, certFile, keyFile, names = ''] = /^([^,]+),([^:]+)(?::(.+))?$/.exec(text) ?? [];
  if (certFile === undefined || keyFile === undefined) throw new UsageError(`--${SNI} is cert,key or cert,key:name,…, not ${JSON.stringify(text)}`);
  const [cert, key] = await Promise.all([readFileOf(SNI, certFile), readFileOf(SNI, keyFile)]);
  try {
    checkCertificatePair({ cert, key });
  } catch (cause) {
    const why = failureText(cause);
    throw new UsageError(`--${SNI}: ${certFile} and ${keyFile} are not a PEM certificate and its key: ${why}`);
  }
  return { cert, key, names: names.split(',').map((name) => name.trim()).filter((name) => name !== '') };
}
