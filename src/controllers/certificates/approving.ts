import type { ObjectKey } from '#api';
import { keyOf, source, type Controller, type ControllerEnv } from '#client';
import { CertificateSigningRequest, ClusterRole, ClusterRoleBinding, SubjectAccessReview } from '#kinds';
import { readRequest, RequestFault, type ReadRequest } from './read-request.ts';
import { stateOf } from './request-state.ts';
import { signerOf } from './signer-rules.ts';

interface Recognizer {
  /** The author's request is approved when it may `create` this subresource. */
  readonly subresource: string;
  isFor(read: ReadRequest, username: string): boolean;
  readonly message: string;
}

/** In the order in which they are tried. */
const RECOGNIZERS: readonly Recognizer[] = [
  {
    subresource: 'selfnodeclient',
    isFor: ({ commonName }, username) => commonName === username,
    message: 'A node renews its own client certificate, and may do so.',
  },
  { subresource: 'nodeclient', isFor: () => true, message: 'A client certificate of a node, from somebody who may ask for one.' },
];

/** Permissions may change where no informer sees it: refused requests are checked again after this time. */
const AGAIN_MS = 60_000;

const pending = ({ inform }: ControllerEnv): readonly ObjectKey[] =>
  inform(CertificateSigningRequest).list().filter((one) => stateOf(one) === 'pending').map(keyOf);

/** Approves requests for client certificates of nodes, where their author has the permission for it. @spec 2.12 */
export const approving: Controller<CertificateSigningRequest> = {
  name: 'csrapproving',
  watches: CertificateSigningRequest,
  // Also when permissions change.
  also: [source(ClusterRole, (_role, env) => pending(env)), source(ClusterRoleBinding, (_binding, env) => pending(env))],
  async reconcile(key, env) {
    const request = env.inform(CertificateSigningRequest).get(key);
    if (request === undefined || stateOf(request) !== 'pending' || request.spec.signerName !== env.client.brand.names.nodeClientSigner) return undefined;
    const recognizers = await recognizersOf(request, env);
    for (const { subresource, message } of recognizers) {
      if (!(await isPermitted(request, subresource, env))) continue;
      const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
      const status = { ...request.status, conditions: [...(request.status.conditions ?? []), approved] };
      await env.client.of(CertificateSigningRequest).update({ ...request, status }, { subresource: 'approval' });
      return undefined;
    }
    return recognizers.length === 0 ? undefined : AGAIN_MS;
  },
};

/** The recognizers that match the request; none where the signer would reject it, which is left to an administrator. */
async function recognizersOf({ spec }: CertificateSigningRequest, { client: { brand } }: ControllerEnv): Promise<readonly Recognizer[]> {
  try {
    const read = await readRequest(spec.request ?? '');
    if (signerOf(spec.signerName, brand)?.check(read, spec.usages ?? [], brand) !== undefined) return [];
    return RECOGNIZERS.filter(({ isFor }) => isFor(read, spec.username ?? ''));
  } catch (cause) {
    if (cause instanceof RequestFault) return [];
    throw cause;
  }
}

async function isPermitted({ spec }: CertificateSigningRequest, subresource: string, { client }: ControllerEnv): Promise<boolean> {
  const { username: user = '', uid = '', groups = [], extra = {} } = spec;
  const resourceAttributes = { group: client.brand.group('certificates'), resource: 'certificatesigningrequests', verb: 'create', version: '*', subresource };
  const { status } = await client.of(SubjectAccessReview).create({ metadata: {}, spec: { user, uid, groups, extra, resourceAttributes } });
  return status.allowed;
}
