import { utf8Length } from '#base';
import { checkDnsSubdomain, checkQualifiedName, report, type Brand, type KindObject } from '#api';
import type { FieldErrors } from '#errors';
import type { EventBody } from './event-messages.ts';

const MAX_WORD_BYTES = 128;
const MAX_MESSAGE_BYTES = 1024;

/** Validates an event of either group. Fields are named as in the core group. */
export function validateEvent(event: KindObject<EventBody>, at: FieldErrors, brand: Brand): void {
  const { metadata, involvedObject, eventTime } = event;
  const namespace = metadata.namespace ?? '';
  const about = involvedObject.namespace ?? '';
  const matches = eventTime ? about !== '' || namespace === 'default' || namespace === brand.names.systemNamespace : about === namespace || (about === '' && namespace === 'default');
  if (!matches) at.child('involvedObject', 'namespace').invalid(about, 'does not match event.namespace');
  if (eventTime) validateNewForm(event, at);
  report(at.child('namespace'), namespace, checkDnsSubdomain(namespace));
}

/** Validates the additional required fields of events with an `eventTime`. */
function validateNewForm({ reportingComponent, reportingInstance, action, reason, message }: KindObject<EventBody>, at: FieldErrors): void {
  if (reportingComponent === '') at.child('reportingController').required();
  report(at.child('reportingController'), reportingComponent, checkQualifiedName(reportingComponent));
  validateWord(reportingInstance, at.child('reportingInstance'));
  validateWord(action ?? '', at.child('action'));
  validateWord(reason ?? '', at.child('reason'));
  if (utf8Length(message ?? '') > MAX_MESSAGE_BYTES) at.child('message').invalid('', `can have at most ${MAX_MESSAGE_BYTES} characters`);
}

function validateWord(word: string, at: FieldErrors): void {
  if (word === '') at.required();
  if (utf8Length(word) > MAX_WORD_BYTES) at.invalid('', `can have at most ${MAX_WORD_BYTES} characters`);
}
