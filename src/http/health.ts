import { plainReply, type Reply, type Routed } from '#request';

/** One health check. */
export interface HealthCheck {
  /** Shown in the verbose output, and the path segment behind `/livez/`. */
  readonly name: string;
  /**
   * Returns `undefined` when healthy, otherwise the reason, which only a request for this very check sees. Throwing or rejecting counts as failing.
   */
  check(probe: Probe): Verdict | Promise<Verdict>;
  /** The probe this check belongs to; `livez` includes `healthz`. Absent: all probes. */
  readonly only?: 'livez' | 'readyz';
}

/** The three health endpoints. */
export type Probe = 'healthz' | 'livez' | 'readyz';
type Verdict = string | undefined;
const PROBES: readonly Probe[] = ['healthz', 'livez', 'readyz'];

/**
 * Answers `/healthz`, `/livez`, `/readyz` and the single checks below them, for any method; `undefined` for every other path. Checks are shown in the
 * given order and run on every request.
 * @spec 4.13
 */
export function createHealth(checks: readonly HealthCheck[]): (request: Routed) => Promise<Reply> | undefined {
  const perProbe = new Map(PROBES.map((probe) => [probe, checks.filter(({ only }) => counts(only, probe))]));
  return ({ info: { path }, query }) => {
    const slash = path.indexOf('/', 1);
    const probe = path.slice(1, slash === -1 ? undefined : slash) as Probe;
    const own = perProbe.get(probe);
    if (own === undefined) return undefined;
    if (slash === -1) return answerAll(probe, own, query);
    const name = path.slice(slash + 1);
    const one = own.find((check) => check.name === name);
    return one === undefined ? undefined : answerOne(probe, one);
  };
}

/** `/healthz` is the older name of liveness. */
const counts = (only: HealthCheck['only'], probe: Probe): boolean => only === undefined || only === (probe === 'healthz' ? 'livez' : probe);

async function answerAll(probe: Probe, checks: readonly HealthCheck[], query: URLSearchParams): Promise<Reply> {
  const excluded = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let isHealthy = true;
  const verdicts = await Promise.all(checks.map(async (check) => (excluded.has(check.name) ? undefined : run(probe, check))));
  for (const [index, check] of checks.entries()) {
    if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`);
    else if (verdicts[index] === undefined) lines.push(`[+]${check.name} ok`);
    else {
      // The reason may name internals that callers of the whole endpoint must not see.
      lines.push(`[-]${check.name} failed: reason withheld`);
      isHealthy = false;
    }
  }
  if (excluded.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${quoted(excluded)}`);
  const all = (verdict: string): string => [...lines, `${probe} check ${verdict}`, ''].join('\n');
  if (!isHealthy) return plainReply(500, all('failed'));
  return plainReply(200, query.has('verbose') ? all('passed') : 'ok');
}

async function answerOne(probe: Probe, check: HealthCheck): Promise<Reply> {
  const why = await run(probe, check);
  return why === undefined ? FINE : plainReply(500, `internal server error: ${why}\n`);
}

/** The answer of a single check that passed. It says nothing that a client sent, and so needs no `nosniff`. */
const FINE: Reply = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: new TextEncoder().encode('ok') };

/** A check that throws has failed; it must not fail the other checks. */
async function run(probe: Probe, check: HealthCheck): Promise<Verdict> {
  try {
    return await check.check(probe);
  } catch {
    return 'the check itself failed';
  }
}

const quoted = (names: Iterable<string>): string => [...names].sort().map((name) => JSON.stringify(name)).join(', ');
