/**
 * Bodies that travel beside objects: options and answers. Use `X.type` to decode or encode them.
 * @spec 4.3
 */
import { t } from '#schema';
import { ListMeta, ObjectMeta } from './object-meta.ts';

/** `kind` and `apiVersion` are not in the protobuf form: the envelope has them. */
const typeMeta = { kind: t.string(0), apiVersion: t.string(0) } as const;

export class Preconditions extends t.message('apis/meta/v1.Preconditions', {
  uid: t.maybe.string(1),
  resourceVersion: t.maybe.string(2),
}) {}

/** @spec 3.1 */
export class DeleteOptions extends t.message('apis/meta/v1.DeleteOptions', {
  ...typeMeta,
  gracePeriodSeconds: t.maybe.int64(1),
  preconditions: t.perhaps(2, Preconditions),
  orphanDependents: t.maybe.bool(3),
  propagationPolicy: t.maybe.string(4),
  dryRun: t.strings(5),
}) {}

export class CreateOptions extends t.message('apis/meta/v1.CreateOptions', {
  ...typeMeta,
  dryRun: t.strings(1),
  fieldManager: t.string(3),
  fieldValidation: t.string(4),
}) {}

export class UpdateOptions extends t.message('apis/meta/v1.UpdateOptions', {
  ...typeMeta,
  dryRun: t.strings(1),
  fieldManager: t.string(2),
  fieldValidation: t.string(3),
}) {}

export class PatchOptions extends t.message('apis/meta/v1.PatchOptions', {
  ...typeMeta,
  dryRun: t.strings(1),
  force: t.maybe.bool(2),
  fieldManager: t.string(3),
  fieldValidation: t.string(4),
}) {}

export class StatusCause extends t.message('apis/meta/v1.StatusCause', {
  reason: t.string(1),
  message: t.string(2),
  field: t.string(3),
}) {}

export class StatusDetails extends t.message('apis/meta/v1.StatusDetails', {
  name: t.string(1),
  group: t.string(2),
  kind: t.string(3),
  uid: t.string(6),
  causes: t.many(4, StatusCause),
  retryAfterSeconds: t.int32(5),
}) {}

/** The message behind `ApiError.toStatus()`. @spec 7 */
export class StatusBody extends t.message('apis/meta/v1.Status', {
  ...typeMeta,
  metadata: t.one(1, ListMeta),
  status: t.string(2),
  message: t.string(3),
  reason: t.string(4),
  details: t.perhaps(5, StatusDetails),
  code: t.int32(6),
}) {}

/** A kind's object without its body; used with `objectTypeOf`, like a kind's schema. @spec 4.7 */
export class PartialObjectMetadata extends t.message('apis/meta/v1.PartialObjectMetadata', {}) {}

/** The same as an item of a list. */
class PartialItem extends t.message('apis/meta/v1.PartialObjectMetadata', { ...typeMeta, metadata: t.one(1, ObjectMeta) }) {}

export class PartialObjectMetadataList extends t.message('apis/meta/v1.PartialObjectMetadataList', {
  ...typeMeta,
  metadata: t.one(1, ListMeta),
  items: t.many(2, PartialItem).always(),
}) {}
