import type { Extension, Name, PublicKey } from '@peculiar/x509';
import type { Signed } from '#api';
import { readSignedRequest, requestBytes } from '#kinds';
import { loadX509, type X509 } from './x509.ts';

/** The content of a certificate signing request, before any check of whether it is allowed. */
export interface ReadRequest {
  readonly subject: Name;
  /** Of several common names the last one counts, as in authentication. Empty: there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Subject alternative names; unsupported types are skipped. */
  readonly names: readonly AlternativeName[];
  readonly publicKey: PublicKey;
  /** The signed bytes and signature, not verified yet. */
  readonly signed: Signed;
}

export interface AlternativeName {
  readonly type: 'dns' | 'email' | 'ip' | 'url';
  readonly value: string;
}

/** A request that can never be signed; the message is for its author. */
export class RequestFault extends Error {}

const UNREADABLE = 'the request cannot be read as PKCS #10 describes it';
const ALTERNATIVE_NAMES = '2.5.29.17';

/** `base64`: as in `spec.request`. Throws `RequestFault`. */
export async function readRequest(base64: string): Promise<ReadRequest> {
  const x509 = await loadX509();
  const { request, signed } = parse(x509, base64);
  const subject = request.subjectName;
  // The subject is encoded again for the certificate: its bytes must equal those that were approved.
  if (Buffer.compare(signed.subject, Buffer.from(subject.toArrayBuffer())) !== 0) throw new RequestFault('the subject is not written in the one way that DER allows');
  const [organizations, commonNames] = [subject.getField('O'), subject.getField('CN')];
  if ([...organizations, ...commonNames].some(hasControls)) throw new RequestFault('the subject has characters that cannot be shown');
  return { subject, organizations, commonName: commonNames.at(-1) ?? '', names: namesOf(request.extensions), publicKey: request.publicKey, signed };
}

function parse(x509: X509, base64: string) {
  const bytes = requestBytes(base64);
  const signed = bytes && readSignedRequest(bytes);
  if (signed === undefined) throw new RequestFault(UNREADABLE);
  try {
    const request = new x509.Pkcs10CertificateRequest(bytes);
    // Accessed here because the library parses these on first use.
    void [request.extensions, request.publicKey.algorithm];
    return { request, signed };
  } catch {
    throw new RequestFault(UNREADABLE);
  }
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const hasControls = (text: string): boolean => /[\u0000-\u001f\u007f-\u009f]/.test(text);

const isTaken = ({ type }: { readonly type: string }): boolean => ['dns', 'email', 'ip', 'url'].includes(type);

function namesOf(extensions: readonly Extension[]): readonly AlternativeName[] {
  const found = extensions.filter(({ type }) => type === ALTERNATIVE_NAMES);
  if (found.length > 1) throw new RequestFault('the request has two lists of subjectAltNames');
  const [list] = found;
  if (list === undefined) return [];
  const names = (list as Extension & { readonly names?: { toJSON(): { type: string; value: string }[] } }).names?.toJSON();
  if (names === undefined) throw new RequestFault('the subjectAltNames of the request cannot be read');
  const taken = names.filter(isTaken) as AlternativeName[];
  const bad = taken.find(({ value }) => !/^[\x20-\x7e]+$/.test(value));
  if (bad !== undefined) throw new RequestFault(`a subjectAltName of type ${bad.type} is empty or has characters beyond ASCII`);
  return taken;
}
