export type { AccessRule, AccessRules, Answer, Authorizer, Question } from './authorizer.ts';
export type { Authenticator, Identity } from './authenticator.ts';
export { Chain, chain, type Next, type Stage } from './chain.ts';
export type { ClientCertificate, Identified, Outlet, Received, Reply, ReplyHeaders, Routed } from './context.ts';
export { isConnecting } from './connecting.ts';
export type { RequestInfo } from './request-info.ts';
export type { User } from './user.ts';
export { parseRequest } from './parse-request.ts';
export { requestInfoStage } from './request-info-stage.ts';
