/** What the commands that look after a store need of it. */
export { backUp, BUMP, checkBackup, checkMaintainable, checkStore, restore, type CheckResult, type CopyResult, type MaintenanceVerb, type Progress } from '#storage';
export { dialectsOfBackup } from './stored-dialect.ts';
