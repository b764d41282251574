import type { Signed } from '#api';
import type { ControllerEnv } from '#client';

/** What the server's own controllers work with, beside what every controller does. */
export interface ServerControllerEnv extends ControllerEnv {
  /** PEM of the authority that clients inside a cluster trust; absent: there is none to publish. */
  readonly rootCa?: string;
  /** Where clients outside reach the server; absent: nowhere. */
  readonly url?: string;
  /** Absent: nothing is signed. */
  readonly signing?: Signing;
  /** Makes tokens that live as long as the Secret they are put into; absent: none are made. */
  readonly issueToken?: IssueToken;
}

/** How certificate requests are signed. */
export interface Signing {
  /** Whose certificates those of a signer are; made where there is none yet. Always the same for the same signer. */
  authorityOf(signer: BuiltInSigner): Promise<SigningAuthority>;
  /** No certificate lives longer. */
  readonly longestMs: number;
  /** Whether the signature was made with the key over the content: of every key that the API takes requests of. */
  verifySignature(signed: Signed): boolean;
}

/** Those whose rules this server knows; others sign for themselves. */
export type BuiltInSigner = 'clientSigner' | 'nodeClientSigner' | 'nodeServingSigner' | 'legacySigner';

/** PEM texts. */
export interface SigningAuthority {
  readonly cert: string;
  readonly key: string;
}

/** Makes the token of a Secret; it ends with that Secret. */
export type IssueToken = (order: {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secretName: string;
}) => Promise<string>;
