export { apply } from './apply.ts';
export { managerName } from './managers/manager-name.ts';
export { ownersBut, ownersOfScale, ownersOfScaled } from './scale-owners.ts';
export { resetFieldsOf } from './reset-fields.ts';
export { withoutOwners } from './owned-object.ts';
export { track, unreadableOwners } from './track.ts';
export { fitting, renamedForm, storageForm, VersionFailure, type VersionForm, type VersionForms } from './versions.ts';
