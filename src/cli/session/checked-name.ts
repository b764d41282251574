import { UsageError } from '../usage-error.ts';

/** Checks that a name is safe as a path segment. Throws `UsageError` otherwise, since the request would address something else. */
export function checkedName(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new UsageError(`${JSON.stringify(name)} cannot be a name`);
  return name;
}
