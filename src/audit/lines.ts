import { jsonText, quietJson } from '#base';
import type { AuditEvent } from './event.ts';

/** `json`: one object per line. `legacy`: one readable line per event, without bodies. */
export type LogFormat = 'json' | 'legacy';

/** An event as a line, including its line break. Values cannot inject a line of their own. */
export const lineOf = (event: AuditEvent, format: LogFormat): string => `${quietJson(format === 'json' ? jsonText(event) : legacyLine(event))}\n`;

function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser: as, objectRef, responseStatus } = event;
  const groups = (list: readonly string[] | undefined, otherwise: string): string =>
    list === undefined || list.length === 0 ? otherwise : list.map((group) => JSON.stringify(group)).join(',');
  const fields = {
    id: event.auditID,
    stage: event.stage,
    ip: event.sourceIPs?.[0] ?? '<unknown>',
    method: event.verb,
    user: user.username ?? '<none>',
    groups: groups(user.groups, '<none>'),
    as: as?.username ?? '<self>',
    asgroups: as === undefined ? '<lookup>' : groups(as.groups, '<lookup>'),
    'user-agent': event.userAgent ?? '',
    namespace: objectRef?.namespace ?? '<none>',
    uri: event.requestURI,
    response: responseStatus?.code === undefined ? '<deferred>' : String(responseStatus.code),
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${event.requestReceivedTimestamp} AUDIT: ${text.join(' ')}`;
}
