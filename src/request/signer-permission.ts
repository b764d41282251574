import type { Brand } from '#api';
import type { Authorizer, Question } from './authorizer.ts';
import type { User } from './user.ts';

/** The verbs on a signer: approve requests for it, sign in its name, or publish its trust anchors. */
export type SignerVerb = 'approve' | 'sign' | 'attest';

/**
 * Whether a user has the permission `verb` on a signer, or on all signers of its domain: `signers/example.com/a` or `signers/example.com/*`.
 * @spec 4.10
 */
export async function maySign(
  { authorizer, brand }: { readonly authorizer: Authorizer; readonly brand: Brand },
  asked: { readonly user: User; readonly verb: SignerVerb; readonly signerName: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { user, verb, signerName } = asked;
  const about = { isResourceRequest: true, path: '', apiPrefix: 'apis', version: '*', namespace: '', subresource: '', parts: [] } as const;
  const question: Question = { ...about, user, verb, group: brand.group('certificates'), resource: 'signers', name: signerName };
  for (const name of [signerName, `${signerName.split('/', 1)[0] ?? ''}/*`]) {
    if ((await authorizer.authorize({ ...question, name }, signal)).verdict === 'allow') return true;
  }
  return false;
}
