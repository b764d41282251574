import type { FieldFacts, MessageType } from '#schema';

/** One field of the wire form. Without name: the field holds members that stand beside the others in JSON. */
export interface WireMember {
  readonly no: number;
  readonly name: string | undefined;
  readonly facts: FieldFacts;
}

/** The fields of a message in order of number. Members without a number are not in protobuf; inline ones without a number join in. */
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
