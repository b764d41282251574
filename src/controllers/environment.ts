import type { Signed } from '#api';
import type { ControllerEnv } from '#client';

/** The environment of the server's own controllers. */
export interface ServerControllerEnv extends ControllerEnv {
  /** PEM of the CA that clients inside a cluster trust; absent: none to publish. */
  readonly rootCa?: string;
  /** The address for clients outside; absent: none. */
  readonly url?: string;
  /** Absent: nothing is signed. */
  readonly signing?: Signing;
  /** Issues tokens that are valid as long as their Secret; absent: none are issued. */
  readonly issueToken?: IssueToken;
}

/** How certificate requests are signed. */
export interface Signing {
  /** The authority of a signer, created on first use. Always the same for the same signer. */
  authorityOf(signer: BuiltInSigner): Promise<SigningAuthority>;
  /** The longest lifetime of a certificate. */
  readonly longestMs: number;
  /** Whether the signature over the content is valid, for every key type that the API accepts in requests. */
  verifySignature(signed: Signed): boolean;
}

/** Signers whose rules this server implements; other signers are external programs. */
export type BuiltInSigner = 'clientSigner' | 'nodeClientSigner' | 'nodeServingSigner' | 'legacySigner';

/** PEM texts. */
export interface SigningAuthority {
  readonly cert: string;
  readonly key: string;
}

/** Issues the token of a Secret; it is valid as long as that Secret exists. */
export type IssueToken = (order: {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secretName: string;
}) => Promise<string>;
