import type { FieldFacts, MessageType } from '#schema';

/** One protobuf field. Without a name: an inline message, whose fields are members of the outer object in JSON. */
export interface WireMember {
  readonly no: number;
  readonly name: string | undefined;
  readonly facts: FieldFacts;
}

/** The fields of a message by number. Members without a number are not in protobuf; the fields of inline messages without a number are included. */
export function wireMembersOf(type: MessageType): readonly WireMember[] {
  return collect(type).sort((a, b) => a.no - b.no);
}

function collect(type: MessageType): WireMember[] {
  const found: WireMember[] = [];
  for (const [name, facts] of type.members) {
    if (facts.no > 0) found.push({ no: facts.no, name: facts.isInline ? undefined : name, facts });
    else if (facts.isInline && facts.type.is === 'message') found.push(...collect(facts.type.message()));
  }
  return found;
}
