import { UsageError } from '../usage-error.ts';

/** A name that a path can hold. Throws `UsageError` for others: with them another object would be reached. */
export function checkedName(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new UsageError(`${JSON.stringify(name)} cannot be a name`);
  return name;
}
