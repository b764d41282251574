import { X509Certificate } from 'node:crypto';
import type { Extension } from '@peculiar/x509';
import { newSerial } from '#base';
import type { OpenAuthority } from './authority.ts';
import { KEY_USAGES } from './key-usages.table.ts';
import type { Life } from './lifetime.ts';
import { RequestFault, type ReadRequest } from './read-request.ts';
import { provider, type X509 } from './x509.ts';

/** Issues a certificate, as PEM. Throws `RequestFault` where it would not contain the names that the request was approved by. */
export async function issue(request: ReadRequest, usages: readonly string[], life: Life, authority: OpenAuthority): Promise<string> {
  const { x509, issuer, key, keyIdentifier } = authority;
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: Buffer.from(newSerial()).toString('hex'),
      subject: request.subject,
      issuer,
      ...life,
      publicKey: request.publicKey,
      signingKey: key,
      signingAlgorithm: { name: key.algorithm.name, hash: 'SHA-256' } as never,
      extensions: [...usageExtensions(x509, usages), new x509.BasicConstraintsExtension(false, undefined, true), keyIdentifier, ...nameExtension(x509, request)],
    },
    provider,
  );
  const pem = `${certificate.toString('pem')}\n`;
  checkShownSubject(pem, request);
  return pem;
}

function usageExtensions(x509: X509, usages: readonly string[]): readonly Extension[] {
  const meanings = usages.map((usage) => KEY_USAGES[usage]).filter((meaning) => meaning !== undefined);
  const bits = meanings.filter((meaning) => typeof meaning === 'number').reduce((sum, bit) => sum | bit, 0);
  const purposes = [...new Set(meanings.filter((meaning) => typeof meaning === 'string'))];
  return [
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- flags that are put together are no member of their enum
    ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, true)]),
    ...(purposes.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(purposes)]),
  ];
}

/** Subject alternative names; critical where the subject is empty. */
function nameExtension(x509: X509, { names, subject }: ReadRequest): readonly Extension[] {
  if (names.length === 0) return [];
  try {
    return [new x509.SubjectAlternativeNameExtension([...names], subject.toJSON().length === 0)];
  } catch {
    throw new RequestFault('the subjectAltNames of the request cannot be written into a certificate');
  }
}

/** The subject that a server will read from the certificate must be the one that was checked: strings have several encodings, and parsers differ. */
function checkShownSubject(pem: string, { commonName, organizations }: ReadRequest): void {
  const subject = shownSubject(pem);
  const shown = (key: string): readonly unknown[] => [subject[key] ?? []].flat();
  const isSame = (shown('CN').at(-1) ?? '') === commonName && JSON.stringify(shown('O')) === JSON.stringify(organizations);
  if (!isSame) throw new RequestFault(ODD_TEXTS);
}

function shownSubject(pem: string): Readonly<Record<string, unknown>> {
  try {
    return (new X509Certificate(pem).toLegacyObject() as { readonly subject: Readonly<Record<string, unknown>> | undefined }).subject ?? {};
  } catch {
    // OpenSSL takes not every type of text for one.
    throw new RequestFault(ODD_TEXTS);
  }
}

const ODD_TEXTS = 'the subject has texts in an encoding that not everybody reads in the same way: use UTF8String';
