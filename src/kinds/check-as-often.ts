/** Runs checks once on create and twice on update, because of many kinds kube-apiserver reports each fault of what is changed twice. */
export function checkAsOften(live: object | undefined, check: () => void): void {
  check();
  if (live !== undefined) check();
}
