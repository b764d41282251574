/** The controllers to abort with a signal, which has one listener for all of them. */
const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * A controller that aborts with the first of these signals, for its reason. The caller must abort it when its work is over: from then on no signal
 * refers to it. A signal of `AbortSignal.any` stays referenced by its source signals for as long as they exist (Node 20).
 */
export function abortedBy(...signals: readonly (AbortSignal | undefined)[]): AbortController {
  const own = new AbortController();
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) own.abort(signal.reason);
    if (own.signal.aborted) break;
    const all = followersOf(signal);
    all.add(own);
    own.signal.addEventListener('abort', () => all.delete(own), { once: true });
  }
  return own;
}

function followersOf(signal: AbortSignal): Set<AbortController> {
  const known = followers.get(signal);
  if (known !== undefined) return known;
  const all = new Set<AbortController>();
  followers.set(signal, all);
  const abortAll = (): void => {
    for (const one of all) one.abort(signal.reason);
  };
  signal.addEventListener('abort', abortAll, { once: true });
  return all;
}
