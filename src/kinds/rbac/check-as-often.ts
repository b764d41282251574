/**
 * Runs the checks of a kind of this group: once on create, twice on update, because the recorded server names each mistake in a changed
 * role or binding twice.
 */
export function checkAsOftenAsRecorded(live: object | undefined, check: () => void): void {
  check();
  if (live !== undefined) check();
}
