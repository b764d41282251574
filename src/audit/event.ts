import { formatMicroTime } from '#schema';
import type { Brand } from '#api';
import type { RequestInfo, User } from '#request';
import type { AuditStage, Level } from './level.ts';

/** The user of a request, as an event contains it. */
export interface EventUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The object of a request. */
export interface ObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

export interface EventStatus {
  readonly metadata: object;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: unknown;
  readonly code?: number;
}

/** One entry of the audit log, as it is written. @spec 6 */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: string;
  readonly level: Level;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: EventUser;
  readonly impersonatedUser?: EventUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: ObjectReference;
  readonly responseStatus?: EventStatus;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The part of an event that is the same at all stages. */
export interface EventHead {
  readonly level: Level;
  readonly id: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: User | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly receivedAtMs: number;
}

/** The part of an event that one stage adds. */
export interface EventFacts {
  readonly stage: AuditStage;
  readonly atMs: number;
  readonly impersonated?: User | undefined;
  readonly objectRef?: ObjectReference | undefined;
  readonly responseStatus?: EventStatus | undefined;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Builds an event. Fields are in the order in which they are written; absent ones are left out. */
export function buildEvent(head: EventHead, facts: EventFacts, brand: Brand): AuditEvent {
  const { impersonated, objectRef, responseStatus, requestObject, responseObject, annotations } = facts;
  return {
    kind: 'Event',
    apiVersion: `${brand.group('audit')}/v1`,
    level: head.level,
    auditID: head.id,
    stage: facts.stage,
    requestURI: head.requestURI,
    verb: head.verb,
    user: eventUser(head.user),
    ...(impersonated === undefined ? {} : { impersonatedUser: eventUser(impersonated) }),
    ...(head.sourceIPs.length === 0 ? {} : { sourceIPs: head.sourceIPs }),
    ...(head.userAgent === '' ? {} : { userAgent: head.userAgent }),
    ...(objectRef === undefined ? {} : { objectRef }),
    ...(responseStatus === undefined ? {} : { responseStatus }),
    ...(requestObject === undefined ? {} : { requestObject }),
    ...(responseObject === undefined ? {} : { responseObject }),
    requestReceivedTimestamp: formatMicroTime(head.receivedAtMs),
    stageTimestamp: formatMicroTime(facts.atMs),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function eventUser(user: User | undefined): EventUser {
  if (user === undefined) return {};
  const { name, uid = '', groups, extra } = user;
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** The object that a path names, without empty fields. Undefined for non-resource paths. */
export function referenceOf(info: RequestInfo): ObjectReference | undefined {
  if (!info.isResourceRequest) return undefined;
  return withoutEmpty({
    resource: info.resource,
    namespace: info.namespace,
    name: info.name,
    apiGroup: info.group,
    apiVersion: info.version,
    subresource: info.subresource,
  });
}

/** Fills in from the request body what the path leaves open. */
export function completedBy(reference: ObjectReference, object: unknown): ObjectReference {
  const metadata = (object as { metadata?: Readonly<Record<string, unknown>> } | null | undefined)?.metadata ?? {};
  const said = (name: string): string => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const { resource = '', apiGroup = '', apiVersion = '', subresource = '' } = reference;
  return withoutEmpty({
    resource,
    namespace: reference.namespace ?? said('namespace'),
    name: reference.name ?? said('name'),
    uid: said('uid'),
    apiGroup,
    apiVersion,
    resourceVersion: said('resourceVersion'),
    subresource,
  });
}

const withoutEmpty = (members: Readonly<Record<string, string>>): ObjectReference =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));

const MAX_USER_AGENT = 1_024;

/** Truncates a user agent, whose length clients choose. */
export const shownUserAgent = (text: string): string => (text.length > MAX_USER_AGENT ? `${text.slice(0, MAX_USER_AGENT)}...TRUNCATED` : text);
