import { APIGroup, APIVersions, DeleteOptions, objectTypeOf, ObjectMeta, StatusBody, UpdateOptions } from '#api';
import { allKinds, CONNECT_OPTIONS } from '#kinds';
import { t, type MessageType } from '#schema';

const typeMeta = { kind: t.string(0), apiVersion: t.string(0) } as const;

/** The message type at the end of a path of members. Throws where there is none. */
function memberOf(type: MessageType, ...path: readonly string[]): MessageType {
  const [name = '', ...more] = path;
  const member = type.fields.get(name)?.type;
  if (member?.is !== 'message') throw new Error(`${type.name} has no message ${name}`);
  return more.length === 0 ? member.message() : memberOf(member.message(), ...more);
}

/** The type of a kind in one of its versions. Throws for an unknown kind or version. */
function typeOf(group: string, version: string, kind: string): MessageType {
  const schema = allKinds.find((one) => one.group === group && one.kind === kind)?.versions[version]?.schema;
  if (schema === undefined) throw new Error(`there is no ${group}/${version} ${kind}`);
  return objectTypeOf(schema);
}

/** Messages with a kind but without metadata. */
class Said extends t.message('', typeMeta) {}

/** A message with the members of both, and the name of the second. */
const joined = (first: MessageType, second: Pick<MessageType, 'name' | 'members'>): MessageType => {
  const members = [...first.members, ...second.members];
  return { ...first, name: second.name, members, fields: new Map(members) };
};

/** A message with one member whose type has no class. */
const only = (name: string, no: number, type: MessageType): Pick<MessageType, 'name' | 'members'> => ({
  name: type.name,
  members: [[name, { ...t.string(no).facts, type: { is: 'message', message: () => type } }]],
});

/** The v1beta1 review, in which `groups` is called `group`. */
function reviewV1beta1(): MessageType {
  const review = typeOf('authorization', 'v1', 'SubjectAccessReview');
  const spec = memberOf(review, 'spec');
  const members = spec.members.map(([name, facts]) => [name === 'groups' ? 'group' : name, facts] as const);
  const older = only('spec', 2, { ...spec, members, fields: new Map(members) });
  return joined({ ...review, members: review.members.filter(([name]) => name !== 'spec') }, { ...older, name: review.name });
}

/** The options of a list, which the server reads only from the query. */
class ListOptions extends t.message('apis/meta/v1.ListOptions', {
  ...typeMeta,
  labelSelector: t.string(1),
  fieldSelector: t.string(2),
  watch: t.bool(3),
  allowWatchBookmarks: t.bool(9),
  resourceVersion: t.string(4),
  resourceVersionMatch: t.string(10),
  timeoutSeconds: t.maybe.int64(5),
  limit: t.int64(7),
  continue: t.string(8),
}) {}

class Subject extends t.message('rbac/v1alpha1.Subject', {
  kind: t.string(1).required(),
  apiVersion: t.string(2),
  name: t.string(3).required(),
  namespace: t.string(4),
}) {}
class RoleRef extends t.message('rbac/v1alpha1.RoleRef', { apiGroup: t.string(1).required(), kind: t.string(2).required(), name: t.string(3).required() }) {}
class RoleBinding extends t.message('rbac/v1alpha1.RoleBinding', { subjects: t.many(2, Subject), roleRef: t.one(3, RoleRef).required() }) {}

class Headed extends t.message('', { ...typeMeta, metadata: t.one(1, ObjectMeta) }) {}

/** Golden files of objects that are not kinds, or of kinds in versions that are not served: group (neutral name), version and kind. */
export const GOLDEN_MESSAGES: readonly (readonly [group: string, version: string, kind: string, type: MessageType])[] = [
  ['', 'v1', 'APIGroup', APIGroup.type],
  ['', 'v1', 'APIVersions', APIVersions.type],
  ['', 'v1', 'DeleteOptions', DeleteOptions.type],
  ['', 'v1', 'ListOptions', ListOptions.type],
  ['', 'v1', 'SerializedReference', joined(Said.type, only('reference', 1, memberOf(typeOf('', 'v1', 'Binding'), 'target')))],
  ['', 'v1', 'Status', StatusBody.type],
  ['', 'v1', 'UpdateOptions', UpdateOptions.type],
  ...Object.entries(CONNECT_OPTIONS).map(([kind, schema]) => ['', 'v1', kind, joined(Said.type, schema.type)] as const),
  ['authorization', 'v1beta1', 'SelfSubjectAccessReview', typeOf('authorization', 'v1', 'SelfSubjectAccessReview')],
  ['authorization', 'v1beta1', 'SubjectAccessReview', reviewV1beta1()],
  ['batch', 'v1beta1', 'JobTemplate', joined(Headed.type, only('template', 2, memberOf(typeOf('batch', 'v1beta1', 'CronJob'), 'spec', 'jobTemplate')))],
  ['rbac', 'v1alpha1', 'RoleBinding', objectTypeOf(RoleBinding)],
  ['rbac', 'v1beta1', 'ClusterRole', typeOf('rbac', 'v1', 'ClusterRole')],
  ['rbac', 'v1beta1', 'ClusterRoleBinding', typeOf('rbac', 'v1', 'ClusterRoleBinding')],
  ['rbac', 'v1beta1', 'RoleBinding', typeOf('rbac', 'v1', 'RoleBinding')],
  ['storage', 'v1beta1', 'CSIDriver', typeOf('storage', 'v1', 'CSIDriver')],
  ['storage', 'v1beta1', 'CSINode', typeOf('storage', 'v1', 'CSINode')],
  ['storage', 'v1beta1', 'StorageClass', typeOf('storage', 'v1', 'StorageClass')],
];
