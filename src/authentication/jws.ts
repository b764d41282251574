import type { KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject } from '#base';

/** A public key and the one algorithm it verifies: the header of a token never chooses the algorithm. */
export interface VerifyingKey {
  readonly key: KeyObject;
  readonly algorithm: string;
}

/** A private key and the one algorithm it signs with. */
export interface SigningKey {
  /** Private. */
  readonly key: KeyObject;
  readonly algorithm: string;
  readonly keyId: string;
}

/** A parsed token whose signature has not been verified. */
export interface UncheckedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Header and claims of a compact JWS, without verification: nothing in them may be trusted. undefined: not a compact JWS. */
export function readUnchecked(token: string): UncheckedToken | undefined {
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const [header, claims] = parts.map((part) => readObject(Buffer.from(part, 'base64url')));
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

function readObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The claims of a token that one of the keys verifies with its algorithm; undefined: none does. */
export async function verifyJws(token: string, keys: readonly VerifyingKey[]): Promise<JsonObject | undefined> {
  const algorithm = readUnchecked(token)?.header['alg'];
  const candidates = keys.filter((one) => one.algorithm === algorithm);
  if (candidates.length === 0) return undefined;
  const { compactVerify } = await loadJose();
  for (const { key, algorithm: only } of candidates) {
    const signed = await compactVerify(token, key, { algorithms: [only] }).catch(() => undefined);
    if (signed !== undefined) return readObject(signed.payload);
  }
  return undefined;
}

/** Signs the claims as a compact JWS. Rejects where the key does not fit its algorithm. */
export async function signJws(claims: JsonObject, { key, algorithm, keyId }: SigningKey): Promise<string> {
  const { CompactSign } = await loadJose();
  const payload = new TextEncoder().encode(JSON.stringify(claims));
  return new CompactSign(payload).setProtectedHeader({ alg: algorithm, kid: keyId }).sign(key);
}

/** Loaded with the first token: a server without tokens starts faster. */
const loadJose = (): Promise<typeof import('jose')> => import('jose');
