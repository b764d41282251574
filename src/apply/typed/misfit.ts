import type { JsonObject } from '#base';
import { checkTypes, decode, DecodeFailure, unknownFields, type MessageType } from '#schema';

/** Why an object is none of a type, or says what is not declared; undefined: it is one. Values are judged by their types alone. */
export function misfitOf(type: MessageType, object: JsonObject): string | undefined {
  try {
    decode(type, object);
  } catch (error) {
    if (error instanceof DecodeFailure) return error.message;
    throw error;
  }
  const [unknown] = unknownFields(type, object);
  return unknown === undefined ? otherTypeIn(type, object) : `.${unknown}: field not declared in schema`;
}

/** The same of a type made at run time, where all that stands there is declared. */
export function otherTypeIn({ open }: MessageType, object: JsonObject): string | undefined {
  if (open === undefined) return undefined;
  try {
    checkTypes(open.schema, object);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeFailure) return error.message;
    throw error;
  }
}
