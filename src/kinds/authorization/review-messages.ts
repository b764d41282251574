import type { ApiObject } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { t } from '#schema';

/** The action in question: a verb on a resource. Absent fields mean cluster scope, all names, and so on. */
export class ResourceAttributes extends t.message('authorization/v1.ResourceAttributes', {
  namespace: t.string(1),
  verb: t.string(2),
  group: t.string(3),
  version: t.string(4),
  resource: t.string(5),
  subresource: t.string(6),
  name: t.string(7),
}) {}

/** The action in question: a verb on a path. */
export class NonResourceAttributes extends t.message('authorization/v1.NonResourceAttributes', { path: t.string(1), verb: t.string(2) }) {}

export class SelfSubjectAccessReviewSpec extends t.message('authorization/v1.SelfSubjectAccessReviewSpec', {
  resourceAttributes: t.perhaps(1, ResourceAttributes),
  nonResourceAttributes: t.perhaps(2, NonResourceAttributes),
}) {}

export class SubjectAccessReviewSpec extends t.message('authorization/v1.SubjectAccessReviewSpec', {
  resourceAttributes: t.perhaps(1, ResourceAttributes),
  nonResourceAttributes: t.perhaps(2, NonResourceAttributes),
  user: t.string(3),
  groups: t.strings(4),
  extra: t.mapOfStrings(5),
  uid: t.string(6),
}) {}

export class SubjectAccessReviewStatus extends t.message('authorization/v1.SubjectAccessReviewStatus', {
  allowed: t.bool(1).required(),
  denied: t.bool(4),
  reason: t.string(2),
  evaluationError: t.string(3),
}) {}

/** Checks that exactly one of the two actions is set. `at`: the path of the spec. */
export function validateAsked({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec, at: FieldErrors): void {
  if (resourceAttributes && nonResourceAttributes) {
    at.child('nonResourceAttributes').invalid(showPathAttributes(nonResourceAttributes), 'cannot be specified in combination with resourceAttributes');
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    at.child('resourceAttributes').invalid(null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified');
  }
}

export const showPathAttributes = ({ path, verb }: NonResourceAttributes): GoValue =>
  goStruct('authorization.NonResourceAttributes', { Path: path ?? '', Verb: verb ?? '' });

/** Checks that a user or a group and exactly one action are set. */
export function validateSubject(spec: SubjectAccessReviewSpec, at: FieldErrors): void {
  validateAsked(spec, at);
  if (!spec.user && (spec.groups ?? []).length === 0) at.child('user').invalid(spec.user ?? '', 'at least one of user or group must be specified');
}

/** Checks that the metadata of a review, which is never stored, has no fields but those of `but` and managed fields. */
export function validateNoMetadata({ metadata }: ApiObject, but: readonly string[], at: FieldErrors): void {
  const mayStand = new Set(['managedFields', ...but]);
  const given = Object.entries(metadata).filter(([member, value]) => !mayStand.has(member) && value !== null && value !== '');
  if (given.length > 0) at.child('metadata').invalid(Object.fromEntries(given), `must be empty${but.map((member) => ` except for ${member}`).join('')}`);
}
