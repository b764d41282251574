import { utf8Length, isDeepEqual } from '#base';
import { checkDnsSubdomain, defineKind, report, type HookContext, type ObjectOf } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { stringScalar, t } from '#schema';
import { checkAsOften } from '../check-as-often.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { goPointer } from '../go-values.ts';
import { requireText } from '../value-checks.ts';
import { PersistentVolumeSpec } from '../core/volume/persistent-volume-spec.ts';
import { validateDriverName } from '../core/volume/validate-driver.ts';
import { validatePersistentVolumeSpec } from '../core/volume/validate-persistent-volume.ts';

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;

class Source extends t.message('storage/v1.VolumeAttachmentSource', {
  persistentVolumeName: t.maybe.string(1),
  inlineVolumeSpec: t.perhaps(2, PersistentVolumeSpec),
}) {}

class Spec extends t.message('storage/v1.VolumeAttachmentSpec', {
  attacher: t.string(1).required(),
  source: t.one(2, Source).required(),
  nodeName: t.string(3).required(),
}) {}

class VolumeError extends t.message('storage/v1.VolumeError', { time: t.time(1), message: t.string(2) }) {}

class Status extends t.message('storage/v1.VolumeAttachmentStatus', {
  attached: t.bool(1).required(),
  attachmentMetadata: t.map(2, stringScalar),
  attachError: t.perhaps(3, VolumeError),
  detachError: t.perhaps(4, VolumeError),
}) {}

class Body extends t.message('storage/v1.VolumeAttachment', { spec: t.one(2, Spec).required(), status: t.one(3, Status) }) {}

export const VolumeAttachment = defineKind(Body, {
  group: 'storage',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  scope: 'Cluster',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body }, v1alpha1: { schema: Body } },
  subresources: {
    status: {
      verbs: ['get', 'patch', 'update'],
      writes: ['status'],
      keepsMetadata: ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'],
      repeatsMetadataRules: ['content', 'content'],
    },
  },
  createOnUpdate: false,
  unconditionalUpdate: false,
  deleteShowsObject: true,
  repeatsMetadataRules: ['content', 'content'],
  columns: [
    { name: 'Attacher', type: 'string', format: 'name', description: 'The driver that attaches the volume.', cell: ({ spec }) => spec.attacher },
    { name: 'PV', type: 'string', description: 'The volume that is attached, by its name.', cell: ({ spec }) => spec.source.persistentVolumeName ?? '' },
    { name: 'Node', type: 'string', description: 'The node that the volume is attached to.', cell: ({ spec }) => spec.nodeName },
    { name: 'Attached', type: 'boolean', description: 'Whether the volume is attached now.', cell: ({ status }) => status.attached },
  ],
  validate(next, live, at, context) {
    checkAsOften(live, () => validateAttachment(next, at, context));
    if (live === undefined) validateNames(next.spec, at.child('spec'));
    else if (!isDeepEqual(next.spec, live.spec)) at.child('spec').invalid(showSpec(next.spec), 'field is immutable');
  },
});
export type VolumeAttachment = ObjectOf<typeof VolumeAttachment>;

function showSpec({ attacher, source, nodeName }: Spec): GoValue {
  const Source = goStruct('storage.VolumeAttachmentSource', {
    PersistentVolumeName: goPointer('string', source.persistentVolumeName),
    InlineVolumeSpec: goPointer('core.PersistentVolumeSpec', source.inlineVolumeSpec),
  });
  return goStruct('storage.VolumeAttachmentSpec', { Attacher: attacher, Source, NodeName: nodeName });
}

function validateAttachment({ spec, status }: VolumeAttachment, at: FieldErrors, context: HookContext): void {
  const here = at.child('spec');
  requireText(spec.attacher, here.child('attacher'));
  validateSource(spec.source, here.child('source'), context);
  report(here.child('nodeName'), spec.nodeName, checkDnsSubdomain(spec.nodeName));
  validateStatus(status, at.child('status'));
}

function validateSource({ persistentVolumeName: name, inlineVolumeSpec: inline }: Source, at: FieldErrors, context: HookContext): void {
  if (inline === undefined && name === undefined) at.required('must specify exactly one of inlineVolumeSpec and persistentVolumeName');
  else if (inline !== undefined && name !== undefined) at.forbidden('must specify exactly one of inlineVolumeSpec and persistentVolumeName');
  else if (inline !== undefined) validatePersistentVolumeSpec(inline, 'inline', at.child('inlineVolumeSpec'), podRulesOf(context));
  else requireText(name, at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName');
}

function validateStatus({ attachmentMetadata = {}, attachError, detachError }: Status, at: FieldErrors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(attachmentMetadata)) bytes += utf8Length(key) + utf8Length(value);
  if (bytes > MAX_METADATA_BYTES) at.child('attachmentMetadata').tooLong('', MAX_METADATA_BYTES);
  // kube-apiserver's message has the limit of metadata here, too.
  for (const [member, error] of [['attachError', attachError], ['detachError', detachError]] as const) {
    if (utf8Length(error?.message ?? '') > MAX_MESSAGE_BYTES) at.child(member, 'message').tooLong('', MAX_METADATA_BYTES);
  }
}

/** Validates names, on create only: existing objects may be older than the rules. */
function validateNames({ attacher, source }: Spec, at: FieldErrors): void {
  validateDriverName(attacher, at.child('attacher'));
  const name = source.persistentVolumeName;
  if (name !== undefined) report(at.child('source', 'persistentVolumeName'), name, checkDnsSubdomain(name));
}
