import { brandOf } from '#api';
import { authorizationStage, impersonationStage, type Refuse } from '#authorization';
import { anonymous, authenticationStage, clientCertificate, staticToken } from '#authentication';
import { createFlowClasses, flowControlStage } from '#flowcontrol';
import { accessLog, deadline, errorReply, recover, securityHeaders, withHeaders, type EncodeStatus } from '#http';
import { chain, requestInfoStage, type Authenticator, type Authorizer, type Identified, type Next, type Received } from '#request';
import { SLOW_REQUEST_MS } from './limits.table.ts';
import type { Settings } from './options.ts';

/** The way of a request, from the outside in. */
export function buildChain(settings: Settings, authorizer: Authorizer, encode: EncodeStatus, dispatch: Next<Identified>): Next<Received> {
  const { log, clock } = settings;
  const refuse: Refuse = (failure, request) => withHeaders(errorReply(failure, request, { log, encode }), NO_SNIFFING);
  return chain(securityHeaders())
    .through(recover({ log, encode }))
    .through(accessLog({ log, clock, slowMs: SLOW_REQUEST_MS }))
    .through(requestInfoStage)
    .through(deadline())
    .through(authenticationStage(buildAuthenticators(settings)))
    .through(impersonationStage(authorizer, brandOf(settings.dialect), refuse))
    .through(flowControlStage(createFlowClasses()))
    // Again, so that refusals and failures further in carry the headers of flow control.
    .through(recover({ log, encode }))
    .through(authorizationStage(authorizer, refuse))
    .end(dispatch);
}

/** Refusals repeat what the caller sent: no browser may take them for something else. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/** In the order they are asked. */
function buildAuthenticators(settings: Settings): readonly Authenticator[] {
  return [
    clientCertificate,
    ...(settings.tokens === undefined ? [] : [staticToken(settings.tokens)]),
    ...(settings.anonymous ? [anonymous] : []),
  ];
}
