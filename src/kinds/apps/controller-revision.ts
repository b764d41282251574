import { isDeepEqual, jsonText } from '#base';
import { defineKind, parseApiVersion, type ObjectMeta, type ObjectOf } from '#api';
import { goStruct, GoValue, nameInGroup } from '#errors';
import { t } from '#schema';
import { requireNotNegative } from '../value-checks.ts';

class Body extends t.message('apps/v1.ControllerRevision', {
  data: t.rawObject(2),
  revision: t.int64(3).required(),
}) {}

export const ControllerRevision = defineKind(Body, {
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta2: { schema: Body }, v1beta1: { schema: Body } },
  columns: [
    { name: 'Controller', type: 'string', description: 'Controller of the object', cell: ({ metadata }) => controllerNameOf(metadata) },
    { name: 'Revision', type: 'string', description: 'Which state of its controller this object keeps.', cell: ({ revision }) => revision },
  ],
  validate(next, live, at) {
    if (!hasData(next.data)) at.child('data').required('data is mandatory');
    requireNotNegative(next.revision, at.child('revision'));
    if (live && !isDeepEqual(next.data ?? null, live.data ?? null)) at.child('data').invalid(showData(next.data), 'field is immutable');
  },
});
export type ControllerRevision = ObjectOf<typeof ControllerRevision>;

/** Whether there is data; an empty object and a value that is no object count. */
const hasData = (data: unknown): boolean => data !== undefined && data !== null;

/** The controller as `statefulset.apps/name`. */
function controllerNameOf({ ownerReferences = [] }: ObjectMeta): string {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const { group } = parseApiVersion(owner.apiVersion);
  return `${nameInGroup(owner.kind, group).toLowerCase()}/${owner.name}`;
}

/** Faults show data as the bytes of its JSON, up to this many. */
const SHOWN_BYTES = 1024;

function showData(data: unknown): unknown {
  if (data === undefined || data === null) return null;
  const bytes = [...new TextEncoder().encode(jsonText(data)).subarray(0, SHOWN_BYTES)].map((byte) => `0x${byte.toString(16)}`);
  return goStruct('runtime.Unknown', {
    TypeMeta: goStruct('runtime.TypeMeta', { APIVersion: '', Kind: '' }),
    Raw: new GoValue(`[]uint8{${bytes.join(', ')}}`),
    ContentEncoding: '',
    ContentType: 'application/json',
  });
}
