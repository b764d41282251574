import { isLongerThan } from '#base';
import { checkDnsLabel, checkRange, report, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import { requireText, requireValid } from '../../value-checks.ts';
import type {
  FCVolumeSource,
  ISCSIVolumeSource,
  PortworxVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from './network-block.ts';

const MAX_LUN = 255;

/** The three formats of iSCSI names, by prefix. */
const TARGET_FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['iqn', /^iqn\.\d{4}-\d{2}\.[a-zA-Z\d.-]+(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[A-Za-z\d]{16}$/],
  ['naa', /^naa.[A-Za-z\d]{32}$/],
]);

type Iscsi = Pick<ISCSIVolumeSource, 'targetPortal' | 'iqn' | 'lun' | 'chapAuthDiscovery' | 'chapAuthSession' | 'initiatorName'> & {
  readonly secretRef?: object;
};

const UNKNOWN_FORM = 'must be valid format starting with iqn, eui, or naa';
const BAD_FORM = 'must be valid format';

/** Validates an iSCSI volume of a pod. */
export function validateIscsi(iscsi: Iscsi, at: FieldErrors): void {
  requireText(iscsi.targetPortal, at.child('targetPortal'));
  validateDisk(iscsi, at, UNKNOWN_FORM);
  validateInitiator(iscsi, at, UNKNOWN_FORM);
}

type LastingIscsi = Iscsi & { readonly secretRef?: { readonly name?: string } };

/** Validates an iSCSI PersistentVolume of that name; in 1.23 its messages are shorter. */
export function validateLastingIscsi(iscsi: LastingIscsi, volumeName: string, at: FieldErrors): void {
  requireText(iscsi.targetPortal, at.child('targetPortal'));
  // This path and that of the initiator are in lower case, as in kube-apiserver.
  report(at.child('targetportal'), iscsi.targetPortal, checkIscsiNames(volumeName, iscsi));
  validateDisk(iscsi, at, BAD_FORM);
  if (iscsi.secretRef) requireText(iscsi.secretRef.name, at.child('secretRef', 'name'));
  validateInitiator(iscsi, at, BAD_FORM);
}

/** `unknownForm`: the message for a name with an unknown prefix. */
function validateDisk(iscsi: Iscsi, at: FieldErrors, unknownForm: string): void {
  if (requireText(iscsi.iqn, at.child('iqn'))) validateTarget(iscsi.iqn, at.child('iqn'), unknownForm);
  report(at.child('lun'), iscsi.lun, checkRange(iscsi.lun, 0, MAX_LUN));
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && iscsi.secretRef === undefined) at.child('secretRef').required();
}

function validateInitiator({ initiatorName }: Iscsi, at: FieldErrors, unknownForm: string): void {
  if (initiatorName !== undefined) validateTarget(initiatorName, at.child('initiatorname'), unknownForm);
}

function validateTarget(name: string, at: FieldErrors, unknownForm: string): void {
  const form = TARGET_FORMS.get(name.slice(0, 3));
  if (form === undefined) at.invalid(name, unknownForm);
  else if (!form.test(name)) at.invalid(name, BAD_FORM);
}

const MAX_ISCSI_NAME = 64;

/** A node with an initiator name builds an interface name from volume name and portal, whose length is limited. */
export function checkIscsiNames(volumeName: string, { initiatorName, targetPortal }: Pick<Iscsi, 'initiatorName' | 'targetPortal'>): Faults {
  if (initiatorName === undefined || !isLongerThan(`${volumeName}:${targetPortal}`, MAX_ISCSI_NAME)) return undefined;
  return [`Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_ISCSI_NAME} characters if iscsi.initiatorName is specified.`];
}

export function validateFc({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, at: FieldErrors): void {
  const here = at.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0) here.required('must specify either targetWWNs or wwids, but not both');
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0) here.invalid(targetWWNs, 'targetWWNs and wwids can not be specified simultaneously');
  if (lun === undefined) at.child('lun').required('lun is required if targetWWNs is specified');
  else report(at.child('lun'), lun, checkRange(lun, 0, MAX_LUN));
}

export function validateRbd({ monitors, image }: Pick<RBDVolumeSource, 'monitors' | 'image'>, at: FieldErrors): void {
  if ((monitors ?? []).length === 0) at.child('monitors').required();
  requireText(image, at.child('image'));
}

export function validateScaleIo({ gateway, system, volumeName }: Pick<ScaleIOVolumeSource, 'gateway' | 'system' | 'volumeName'>, at: FieldErrors): void {
  requireText(gateway, at.child('gateway'));
  requireText(system, at.child('system'));
  requireText(volumeName, at.child('volumeName'));
}

export function validateStorageOs({ volumeName, volumeNamespace, secretRef }: StorageOSVolumeSource, at: FieldErrors): void {
  requireValid(volumeName, at.child('volumeName'), checkDnsLabel);
  if (volumeNamespace) report(at.child('volumeNamespace'), volumeNamespace, checkDnsLabel(volumeNamespace));
  if (secretRef) requireText(secretRef.name, at.child('secretRef', 'name'));
}

export function validatePortworx({ volumeID }: PortworxVolumeSource, at: FieldErrors): void {
  requireText(volumeID, at.child('volumeID'));
}
