/** What the commands that look after a store need of it. */
export { backUp, BUMP, checkBackup, checkStore, restore, type CheckResult, type CopyResult, type Progress } from '#storage';
