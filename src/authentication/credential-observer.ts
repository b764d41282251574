/** What the credentials of requests say about their age, for metrics. Must be quick and never throw. */
export interface CredentialObserver {
  /** A client certificate was presented that ends in so many milliseconds, be it a good one or not; negative: it has ended. */
  certificate(leftMs: number): void;
  /**
   * A token of a service account was accepted. `legacy`: it names no audience, as those in Secrets. `valid` and `stale`: a pod got it by itself, and uses
   * it before or after the time at which it was to be replaced. Others are not told of.
   */
  accountToken(age: 'legacy' | 'stale' | 'valid'): void;
}
