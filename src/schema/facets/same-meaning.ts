import { isDeepEqual, isJsonObject, memberOf } from '#base';
import type { MessageClass, MessageType, Type } from '../field.ts';
import { compareQuantities, parseQuantity, quantityScalar } from '../scalars/quantity.ts';

/** Whether two values of a message mean the same: amounts may be written differently (`1Gi`, `1073741824`). Both must be in normal form. */
export function isSameMeaning(of: MessageClass<unknown>, one: unknown, other: unknown): boolean {
  return isDeepEqual(one, other) || isSameMessage(of.type, one, other);
}

/** As `isSameMeaning`, for a value of any type. */
export function isSameByType(type: Type, one: unknown, other: unknown): boolean {
  if (isDeepEqual(one, other)) return true;
  if (type.is === 'scalar') return type.scalar === quantityScalar && isSameAmount(one, other);
  if (type.is === 'message') return isSameMessage(type.message(), one, other);
  if (type.is === 'list') {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, position) => isSameByType(type.of, item, other[position]));
  }
  return isSameMembers(one, other, () => type.of);
}

function isSameMessage(type: MessageType, one: unknown, other: unknown): boolean {
  if (type.form !== undefined || type.open !== undefined) return isDeepEqual(one, other);
  return isSameMembers(one, other, (name) => type.fields.get(name)?.type);
}

function isSameMembers(one: unknown, other: unknown, typeOf: (name: string) => Type | undefined): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => {
    const [left, right] = [memberOf(one, name), memberOf(other, name)];
    const type = typeOf(name);
    return type === undefined ? isDeepEqual(left, right) : isSameByType(type, left, right);
  });
}

function isSameAmount(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const [left, right] = [parseQuantity(one), parseQuantity(other)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}
