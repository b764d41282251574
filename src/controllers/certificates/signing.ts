import { startController, type Controller, type ControllerEnv, type Running } from '#client';
import { CertificateSigningRequest } from '#kinds';
import type { ServerControllerEnv } from '../environment.ts';
import { openAuthority, type OpenAuthority } from './authority.ts';
import { issue } from './issue.ts';
import { lifeOf } from './lifetime.ts';
import { readRequest, RequestFault } from './read-request.ts';
import { CARE, stateOf } from './request-state.ts';
import { checkOf } from './signer-rules.ts';

/** Signs requests for the built-in signers once they are approved; says on the request why one cannot be signed. @spec 2.12 */
export function startSigning(env: ServerControllerEnv): Running | undefined {
  const { signing: means } = env;
  if (means === undefined) return undefined;
  let opened: Promise<OpenAuthority> | undefined;
  const open = (): Promise<OpenAuthority> =>
    (opened ??= means.authority().then(openAuthority).catch((cause: unknown) => {
      opened = undefined;
      throw new Error('the authority of --cluster-signing-cert-file and --cluster-signing-key-file cannot be used', { cause });
    }));
  return startController(signing(open, means.longestMs), env);
}

const signing = (open: () => Promise<OpenAuthority>, longestMs: number): Controller<CertificateSigningRequest> => ({
  name: 'csrsigning',
  watches: CertificateSigningRequest,
  workers: 4,
  async reconcile(key, env) {
    const request = env.inform(CertificateSigningRequest).get(key);
    if (request === undefined || !CARE[stateOf(request)].isToBeSigned || request.metadata.deletionTimestamp) return undefined;
    const check = checkOf(request.spec.signerName, env.client.brand);
    if (check === undefined) return undefined;
    const { conditions = [] } = request.status;
    try {
      const certificate = await sign(request, check, { env, open, longestMs });
      await writeStatus(request, { ...request.status, certificate: Buffer.from(certificate).toString('base64') }, env);
    } catch (cause) {
      if (!(cause instanceof RequestFault)) throw cause;
      const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: cause.message };
      await writeStatus(request, { ...request.status, conditions: [...conditions, failed] }, env);
    }
    return undefined;
  },
});

interface Means {
  readonly env: ControllerEnv;
  readonly open: () => Promise<OpenAuthority>;
  readonly longestMs: number;
}

/** PEM. Throws `RequestFault`. */
async function sign({ spec }: CertificateSigningRequest, check: NonNullable<ReturnType<typeof checkOf>>, { env, open, longestMs }: Means): Promise<string> {
  const usages = spec.usages ?? [];
  const read = await readRequest(spec.request ?? '');
  const fault = check(read, usages, env.client.brand);
  if (fault !== undefined) throw new RequestFault(fault);
  const authority = await open();
  const nowMs = env.clock.nowMs();
  if (nowMs >= authority.endsMs) throw new Error('the certificate of the signing authority has ended');
  return issue(read, usages, lifeOf(spec.expirationSeconds, longestMs, nowMs, authority.endsMs), authority);
}

async function writeStatus(request: CertificateSigningRequest, status: CertificateSigningRequest['status'], { client }: ControllerEnv): Promise<void> {
  await client.of(CertificateSigningRequest).updateStatus({ ...request, status });
}
