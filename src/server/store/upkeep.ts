/** What the commands that look after a store need of it. */
export { backUp, BUMP, checkBackup, checkStore, restore, type Checked, type Copied, type Progress } from '#storage';
