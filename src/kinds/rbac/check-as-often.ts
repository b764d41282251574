/**
 * Runs the checks of a kind of this group: once on create, twice on update, because kube-apiserver reports each fault of a changed
 * role or binding twice.
 */
export function checkAsOften(live: object | undefined, check: () => void): void {
  check();
  if (live !== undefined) check();
}
