import { t } from '#schema';

export class Condition extends t.message('certificates/v1.CertificateSigningRequestCondition', {
  type: t.string(1).required(),
  status: t.string(6).required(),
  reason: t.string(2),
  message: t.string(3),
  lastUpdateTime: t.time(4),
  lastTransitionTime: t.time(5),
}) {}

export class Spec extends t.message('certificates/v1.CertificateSigningRequestSpec', {
  request: t.bytes(1, 'atomic').required(),
  signerName: t.string(7).required(),
  expirationSeconds: t.maybe.int32(8),
  usages: t.strings(5, 'atomic'),
  username: t.string(2),
  uid: t.string(3),
  groups: t.strings(4, 'atomic'),
  extra: t.mapOfStrings(6),
}) {}

export class Status extends t.message('certificates/v1.CertificateSigningRequestStatus', {
  conditions: t.many(1, Condition, { map: ['type'] }),
  certificate: t.bytes(2, 'atomic'),
}) {}
