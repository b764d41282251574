import type { AuthenticationObserver, CredentialObserver } from '#authentication';
import type { Metrics, Value } from '#http';
import type { User } from '#request';

const SECONDS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384];

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Alerts look for a week and for a day. */
const LEFT_SECONDS = [0, HOUR_SECONDS / 2, ...[1, 2, 6, 12].map((hours) => hours * HOUR_SECONDS), ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY_SECONDS)];

/** Counts and times authentication, and tells how old credentials are. @spec 6 */
export function authenticationMetrics(metrics: Metrics): AuthenticationObserver & CredentialObserver {
  const attempts = metrics.counter('authentication_attempts', 'Attempts to find out who asks, by how they ended.', ['result']);
  const duration = metrics.histogram('authentication_duration_seconds', 'Time to find out who asks, by how that ended.', SECONDS, ['result']);
  const users = metrics.counter('authenticated_user_requests', 'Requests whose caller is known, by a rough name of the caller.', ['username']);
  const left = metrics
    .histogram('apiserver_client_certificate_expiration_seconds', 'Time for which the certificates of clients are still valid, at each of their requests.', LEFT_SECONDS)
    .withLabels();
  const tokens = {
    legacy: metrics.counter('serviceaccount_legacy_tokens_total', 'Uses of service account tokens that name no audience, as those in Secrets.').withLabels(),
    stale: metrics.counter('serviceaccount_stale_tokens_total', 'Uses of projected service account tokens after the time at which they were to be replaced.').withLabels(),
    valid: metrics.counter('serviceaccount_valid_tokens_total', 'Uses of projected service account tokens in their time.').withLabels(),
  };
  const ending = (result: string): Ending => ({ attempts: attempts.withLabels(result), duration: duration.withLabels(result) });
  const [success, failure, error] = [ending('success'), ending('failure'), ending('error')] as const;
  const byName = new Map<string, Value>();
  const userOf = (name: string): Value => {
    let counted = byName.get(name);
    if (counted === undefined) byName.set(name, (counted = users.withLabels(name)));
    return counted;
  };
  const end = (how: Ending, tookMs: number): void => {
    how.attempts.add(1);
    how.duration.observe(tookMs / 1_000);
  };
  return {
    known(user, tookMs) {
      end(success, tookMs);
      userOf(roughName(user)).add(1);
    },
    certificate: (leftMs) => left.observe(leftMs / 1_000),
    accountToken: (age) => tokens[age].add(1),
    unknown: (tookMs) => end(failure, tookMs),
    failed: (tookMs) => end(error, tookMs),
  };
}

interface Ending {
  readonly attempts: { add(amount: number): void };
  readonly duration: { observe(value: number): void };
}

const KNOWN: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:anonymous', 'system:serviceaccount:kube-system:default']);

/** A coarse label: user names are not for everyone who may read metrics, and there are too many. */
const roughName = ({ name }: User): string => (KNOWN.has(name) ? name : name.includes('@') ? 'email_id' : 'other');
