import { t, type MessageClass, type MessageType } from '#schema';
import { ObjectMeta } from './object-meta.ts';

const whole = new WeakMap<MessageClass<unknown>, MessageType>();

/**
 * The message of a whole object: `apiVersion`, `kind`, `metadata` and then what the kind's schema says.
 * Its name is the schema's. Made on first use.
 */
export function objectTypeOf(schema: MessageClass<unknown>): MessageType {
  let type = whole.get(schema);
  if (type === undefined) {
    type = createObjectType(schema.type);
    whole.set(schema, type);
  }
  return type;
}

/** `apiVersion` and `kind` are not in an object's protobuf form: the envelope has them. */
const head = {
  kind: t.string(0).facts,
  apiVersion: t.string(0).facts,
  metadata: t.one(1, ObjectMeta).facts,
};

function createObjectType(body: MessageType): MessageType {
  // A schema may override the facts of the head fields.
  const own = Object.entries(head).map(([name, facts]) => [name, body.fields.get(name) ?? facts] as const);
  return {
    ...body,
    members: [...own, ...body.members.filter(([name]) => !Object.hasOwn(head, name))],
    fields: new Map([...own, ...body.fields]),
    ...(body.defaults === undefined ? {} : { defaults: body.defaults }),
  };
}
