import { cloneJson } from '#base';
import { defineKind, formatAge, formatDuration, type ApiObject, type HookUser, type KindObject, type ObjectOf } from '#api';
import { t } from '#schema';
import { Spec, Status } from './certificate-request-messages.ts';
import { fillConditionTimes } from './condition-times.ts';
import { DECISIONS, validateSpec, validateStatus, validateStatusChange } from './validate-certificate-request.ts';

class Body extends t.message('certificates/v1.CertificateSigningRequest', {
  spec: t.one(2, Spec).required(),
  status: t.one(3, Status),
}) {}

/** Conditions of v1beta1 without status default to `True`. Changes the object. */
function decided(object: ApiObject): ApiObject {
  for (const condition of (object as KindObject<Body>).status.conditions ?? []) condition.status ||= 'True';
  return object;
}

/** A certificate request, which is approved or denied before a signer issues the certificate. */
export const CertificateSigningRequest = defineKind(Body, {
  group: 'certificates',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  scope: 'Cluster',
  repeatsMetadataRules: ['content', 'change'],
  nameForm: 'path-segment',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body, up: decided } },
  subresources: {
    approval: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['status.certificate'], repeatsMetadataRules: ['content', 'change'] },
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['status.conditions'], repeatsMetadataRules: ['content', 'change'] },
  },
  unowned: ['spec'],
  columns: [
    {
      name: 'Age',
      type: 'string',
      description: 'How long ago the object was created, by the clock of the server.',
      cell: ({ metadata }, nowMs) => formatAge(metadata.creationTimestamp, nowMs),
    },
    { name: 'SignerName', type: 'string', description: 'Who shall issue the certificate, as domain and path.', cell: ({ spec }) => spec.signerName || '<none>' },
    { name: 'Requestor', type: 'string', description: 'The user in whose name the request was made.', cell: ({ spec }) => spec.username ?? '' },
    {
      name: 'RequestedDuration',
      type: 'string',
      description: 'How long the certificate shall be valid.',
      cell: ({ spec }) => (spec.expirationSeconds === undefined ? '<none>' : formatDuration(spec.expirationSeconds * 1000)),
    },
    { name: 'Condition', type: 'string', description: 'What has become of the request so far.', cell: ({ status }) => stateOf(status) },
  ],
  select: ({ spec }) => ({ 'spec.signerName': spec.signerName }),
  prepare(next, live, { subresource, user, nowMs }) {
    if (live === undefined) {
      setRequestor(next.spec, user);
      return;
    }
    next.spec = cloneJson(live.spec);
    if (subresource === 'approval') keepCertificate(next.status, live.status);
    if (subresource === 'status') keepDecisions(next.status, live.status);
    if (subresource !== '') fillConditionTimes(next.status, live.status, nowMs);
  },
  validate(next, live, at, context) {
    validateSpec(next.spec, live !== undefined, at.child('spec'), context);
    validateStatus(next.status, live?.status, at.child('status'));
    if (live !== undefined) validateStatusChange(next.status, live.status, context.subresource, at.child('status'));
  },
});
export type CertificateSigningRequest = ObjectOf<typeof CertificateSigningRequest>;

/** Sets the user who sends the request as its requestor. */
function setRequestor(spec: Spec, user: HookUser | undefined): void {
  for (const member of ['username', 'uid', 'groups', 'extra'] as const) delete spec[member];
  if (user === undefined) return;
  if (user.name !== '') spec.username = user.name;
  if (user.uid) spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  const extra = Object.entries(user.extra ?? {});
  if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
}

function keepCertificate(next: Status, live: Status): void {
  if (live.certificate === undefined) delete next.certificate;
  else next.certificate = live.certificate;
}

/** Restores the stored decisions where a signer changed their text only. Added or removed ones are left for validation to refuse. */
function keepDecisions(next: Status, live: Status): void {
  for (const type of DECISIONS) {
    const decided = (live.conditions ?? []).filter((one) => one.type === type);
    if ((next.conditions ?? []).filter((one) => one.type === type).length !== decided.length) continue;
    const kept = decided.values();
    if (next.conditions) next.conditions = next.conditions.map((one) => (one.type === type ? cloneJson(kept.next().value ?? one) : one));
  }
}

function stateOf({ conditions, certificate }: Status): string {
  const has = (type: string): boolean => (conditions ?? []).some((condition) => condition.type === type);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${certificate ? ',Issued' : ''}`;
}
