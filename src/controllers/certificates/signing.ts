import { startController, type Controller, type ControllerEnv, type Running } from '#client';
import { CertificateSigningRequest } from '#kinds';
import type { BuiltInSigner, ServerControllerEnv, Signing } from '../environment.ts';
import { openAuthority, type OpenAuthority } from './authority.ts';
import { issue } from './issue.ts';
import { lifeOf } from './lifetime.ts';
import { readRequest, RequestFault } from './read-request.ts';
import { stateOf } from './request-state.ts';
import { signerOf, type Signer } from './signer-rules.ts';

/** Signs approved requests of the built-in signers, and sets the condition `Failed` on those that cannot be signed. @spec 2.12 */
export function startSigning(env: ServerControllerEnv): Running | undefined {
  const { signing: means } = env;
  if (means === undefined) return undefined;
  const opened = new Map<BuiltInSigner, Promise<OpenAuthority>>();
  const open = (signer: BuiltInSigner): Promise<OpenAuthority> => {
    const known = opened.get(signer);
    if (known !== undefined) return known;
    const opening = means.authorityOf(signer).then(openAuthority).catch((cause: unknown) => {
      opened.delete(signer);
      throw new Error('the authority of --cluster-signing-cert-file, or of the flag of that name for this signer, cannot be used', { cause });
    });
    opened.set(signer, opening);
    return opening;
  };
  return startController(signing({ open, longestMs: means.longestMs, verifySignature: means.verifySignature }), env);
}

const signing = (means: Means): Controller<CertificateSigningRequest> => ({
  name: 'csrsigning',
  watches: CertificateSigningRequest,
  workers: 4,
  async reconcile(key, env) {
    const request = env.inform(CertificateSigningRequest).get(key);
    if (request === undefined || stateOf(request) !== 'approved' || request.metadata.deletionTimestamp) return undefined;
    const signer = signerOf(request.spec.signerName, env.client.brand);
    if (signer === undefined) return undefined;
    const { conditions = [] } = request.status;
    try {
      const certificate = await sign(request, signer, means, env);
      await writeStatus(request, { ...request.status, certificate: Buffer.from(certificate).toString('base64') }, env);
    } catch (cause) {
      if (!(cause instanceof RequestFault)) throw cause;
      const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: cause.message };
      await writeStatus(request, { ...request.status, conditions: [...conditions, failed] }, env);
    }
    return undefined;
  },
});

interface Means extends Pick<Signing, 'longestMs' | 'verifySignature'> {
  readonly open: (signer: BuiltInSigner) => Promise<OpenAuthority>;
}

/** The signed certificate as PEM. Throws `RequestFault`. */
async function sign({ spec }: CertificateSigningRequest, signer: Signer, { open, longestMs, verifySignature }: Means, env: ControllerEnv): Promise<string> {
  const usages = spec.usages ?? [];
  const read = await readRequest(spec.request ?? '');
  if (!verifySignature(read.signed)) throw new RequestFault('the signature of the request was not made with the key in it');
  const fault = signer.check(read, usages, env.client.brand);
  if (fault !== undefined) throw new RequestFault(fault);
  const authority = await open(signer.name);
  const nowMs = env.clock.nowMs();
  if (nowMs >= authority.endsMs) throw new Error('the certificate of the signing authority has ended');
  return issue(read, usages, lifeOf(spec.expirationSeconds, longestMs, nowMs, authority.endsMs), authority);
}

async function writeStatus(request: CertificateSigningRequest, status: CertificateSigningRequest['status'], { client }: ControllerEnv): Promise<void> {
  await client.of(CertificateSigningRequest).updateStatus({ ...request, status });
}
