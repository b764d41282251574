import { ApiError } from '#errors';
import type { Metrics } from '#http';
import type { Identified, Routed, Stage, User } from '#request';

const SECONDS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384];

/** Counts and times how callers become known. Goes around the stage of authentication. @spec 6 */
export function authenticationMetrics(metrics: Metrics, authenticate: Stage<Routed, Identified>): Stage<Routed, Identified> {
  const attempts = metrics.counter('authentication_attempts', 'Attempts to find out who asks, by how they ended.', ['result']);
  const duration = metrics.histogram('authentication_duration_seconds', 'Time to find out who asks, by how that ended.', SECONDS, ['result']);
  const users = metrics.counter('authenticated_user_requests', 'Requests whose caller is known, by a rough name of the caller.', ['username']);
  const ending = (result: string): Ending => ({ attempts: attempts.of(result), duration: duration.of(result) });
  const [success, failure, error] = [ending('success'), ending('failure'), ending('error')] as const;
  return (request, next) => {
    const startedMs = performance.now();
    let isKnown = false;
    const end = (how: Ending): void => {
      how.attempts.add(1);
      how.duration.observe((performance.now() - startedMs) / 1_000);
    };
    const known = authenticate(request, (identified) => {
      isKnown = true;
      end(success);
      users.of(roughName(identified.user)).add(1);
      return next(identified);
    });
    // Beside the answer: nobody waits longer for being counted.
    known.catch((thrown: unknown) => {
      if (!isKnown) end(thrown instanceof ApiError && thrown.reason === 'Unauthorized' ? failure : error);
    });
    return known;
  };
}

interface Ending {
  readonly attempts: { add(amount: number): void };
  readonly duration: { observe(value: number): void };
}

const KNOWN: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:anonymous', 'system:serviceaccount:kube-system:default']);

/** Names of users are not for everyone who may read figures, and there are too many. */
const roughName = ({ name }: User): string => (KNOWN.has(name) ? name : name.includes('@') ? 'email_id' : 'other');
