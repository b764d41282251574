import { defineKind, type HookContext, type ObjectOf } from '#api';
import { formatTime, t } from '#schema';
import { APIServiceSpec, APIServiceStatus } from './api-service-messages.ts';
import { validateApiService, validateApiServiceStatus } from './validate-api-service.ts';

class Body extends t.message('apiregistration/v1.APIService', { spec: t.one(2, APIServiceSpec), status: t.one(3, APIServiceStatus) }) {}

/** A version of an API group, and the server that serves it: this one or an aggregated one. */
export const APIService = defineKind(Body, {
  group: 'apiregistration',
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  scope: 'Cluster',
  nameForm: 'path-segment',
  takesAnyFinalizer: true,
  unconditionalUpdate: false,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body } },
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'], keepsMetadata: ['labels', 'annotations', 'finalizers', 'ownerReferences'] } },
  columns: [
    { name: 'Service', type: 'string', description: 'Where it is served, as namespace and name.', cell: ({ spec }) => placeOf(spec) },
    { name: 'Available', type: 'string', description: 'Whether it can be reached, and why not.', cell: ({ status }) => availability(status) },
  ],
  prepare(next, live, context) {
    if (live === undefined && next.spec.service === undefined) next.status = availableHere(context);
  },
  validate(next, _live, at, { subresource }) {
    if (subresource === 'status') validateApiServiceStatus(next.status, at.child('status'));
    else validateApiService(next, at);
  },
});
export type APIService = ObjectOf<typeof APIService>;

const availableHere = ({ nowMs }: HookContext): APIServiceStatus => ({
  conditions: [
    {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(nowMs),
      reason: 'Local',
      message: 'Local APIServices are always available',
    },
  ],
});

const placeOf = ({ service }: APIServiceSpec): string => (service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`);

function availability({ conditions }: APIServiceStatus): string {
  const condition = conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' || !condition.reason ? condition.status : `${condition.status} (${condition.reason})`;
}
