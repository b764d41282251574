import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { TokenRequestBody } from '../authentication/token-request.ts';
import { ObjectReference } from './object-reference.ts';
import { LocalObjectReference } from './pod/local-object-reference.ts';

class Body extends t.message('core/v1.ServiceAccount', {
  secrets: t.many(2, ObjectReference).mergeBy('name'),
  imagePullSecrets: t.many(3, LocalObjectReference),
  automountServiceAccountToken: t.maybe.bool(4),
}) {}

export const ServiceAccount = defineKind(Body, {
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  scope: 'Namespaced',
  deleteShowsObject: true,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: {
    token: { verbs: ['create'], carries: { group: 'authentication', version: 'v1', kind: 'TokenRequest', schema: TokenRequestBody }, action: 'token-request' },
  },
  columns: [
    {
      name: 'Secrets',
      type: 'string',
      description: 'How many secrets the account names for pods that run under it.',
      cell: ({ secrets }) => secrets?.length ?? 0,
    },
  ],
  prepare(next) {
    // Secrets are in the namespace of the account: a reference has only a name.
    if (next.secrets !== undefined) next.secrets = next.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  },
});
export type ServiceAccount = ObjectOf<typeof ServiceAccount>;
