export { apply, type Applied, type ApplyRequest } from './apply.ts';
export { managerName } from './managers/build-info.ts';
export { ownersOfScale, ownersOfScaled } from './scale-owners.ts';
export { resetFieldsOf } from './reset-fields.ts';
export { track, withoutOwners, type TrackRequest } from './track.ts';
export type { VersionForm, VersionForms } from './versions.ts';
export type { FieldSet } from './fieldpath/set.ts';
