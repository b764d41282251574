import type { AuditStages } from '#audit';
import { brandOf } from '#api';
import { authorizationStage, impersonationStage, type Refuse } from '#authorization';
import { authenticationStage, type Authentication } from '#authentication';
import { accessLog, cors, deadline, errorReply, recover, securityHeaders, withHeaders, type EncodeStatus } from '#http';
import { chain, requestInfoStage, type Authorizer, type Identified, type Next, type Received, type Reply, type Routed, type Stage } from '#request';
import { SLOW_REQUEST_MS } from './limits.table.ts';
import type { BuiltMetrics } from './metrics/metrics.ts';
import type { Settings } from './options.ts';
import { readDirectives, readOrigins } from './serving-options.ts';

/** Optional stages that observe requests. */
interface Onlookers {
  readonly audit?: AuditStages | undefined;
  /** Absent: no traces. */
  readonly tracing?: Stage<Routed> | undefined;
  readonly metrics?: Pick<BuiltMetrics, 'authentication' | 'givenUp' | 'requests'>;
}

const straight = <C extends Received>(request: C, next: Next<C>): Promise<Reply> => next(request);

interface Parts {
  readonly settings: Settings;
  readonly authentication: Authentication;
  readonly authorizer: Authorizer;
  readonly flowControl: Stage<Identified>;
  readonly encode: EncodeStatus;
  readonly onlookers: Onlookers;
}

/** The handler chain, outermost stage first; `dispatch` answers the requests that pass it. */
export function buildChain({ settings, authentication, authorizer, flowControl, encode, onlookers }: Parts, dispatch: Next<Identified>): Next<Received> {
  const { log, clock, serving } = settings;
  const { audit, metrics, tracing } = onlookers;
  const refuse: Refuse = (failure, request) => withHeaders(errorReply(failure, request, { log, encode }), NO_SNIFFING);
  const origins = readOrigins(serving.corsOrigins ?? []);
  return chain(securityHeaders(readDirectives(serving.strictTransport ?? [])))
    // Around everything that fails: pages read refusals, too.
    .through(origins.length === 0 ? straight<Received> : cors({ allowedOrigins: origins }))
    .through(recover({ log, encode }))
    .through(accessLog({ log, clock, slowMs: SLOW_REQUEST_MS }))
    .through(requestInfoStage)
    .through(tracing ?? straight<Routed>)
    .through(metrics?.requests ?? straight<Routed>)
    .through(audit?.unknownCallers ?? straight<Routed>)
    .through(deadline({ ...(serving.requestTimeoutMs === undefined ? {} : { defaultMs: serving.requestTimeoutMs }), missed: (request) => metrics?.givenUp(request, 504) }))
    .through(authenticationStage(authentication, metrics?.authentication))
    .through(audit?.requests ?? straight<Identified>)
    .through(impersonationStage(authorizer, brandOf(settings.dialect), refuse))
    .through(flowControl)
    // A second `recover`, so that error responses of later stages carry the headers of flow control.
    .through(recover({ log, encode }))
    .through(audit?.panics ?? straight<Identified>)
    .through(authorizationStage(authorizer, refuse, audit?.decided))
    .end(dispatch);
}

/** Error messages contain input of the client: browsers must not interpret them as another media type. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };
