export { apply } from './apply.ts';
export { managerName } from './managers/manager-name.ts';
export { ownersBut, ownersOfScale, ownersOfScaled } from './scale-owners.ts';
export { resetFieldsOf } from './reset-fields.ts';
export { track, unreadableOwners, withoutOwners } from './track.ts';
export { fitting, renamedForm, storageForm, VersionFailure, type VersionForm, type VersionForms } from './versions.ts';
