import { badRequest } from '#errors';
import { compileFieldSelector, type FieldRequirement } from '#api';
import { isObjectName, type Selection, type Stored } from '#registry';
import type { ListOptions } from './list-options.ts';
import type { VerbContext } from './verb-context.ts';

/**
 * Which objects a collection request selects, without its freshness. A list that is continued is read as a range, even where it selects one name.
 * Throws `BadRequest` for fields that the kind does not offer.
 */
export function readSelection({ route }: VerbContext, options: ListOptions): Omit<Selection, 'freshness'> {
  const { labels } = options;
  const { name: named, namespace } = route.key;
  const { kind } = route.resource;
  // A name in the path selects like `metadata.name` in a field selector, and must equal that where both are given.
  const fields = compileFieldSelector(named !== '' && options.fields.length === 0 ? [isNamed(named)] : options.fields, kind, route.served);
  const name = fields?.name;
  if (named !== '' && name !== named) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  // An invalid object name has no key, and selects nothing.
  if (name !== undefined && !isObjectName(name)) return { namespace, matches: () => false };
  const matches = all(
    name === undefined ? undefined : isKeptAs(name),
    labels && ((one) => labels(one.labels)),
    fields && ((one) => fields.matches(one.fields)),
  );
  return {
    namespace,
    ...(name === undefined || (named === '' && options.continue !== '') ? {} : { name }),
    ...(matches === undefined ? {} : { matches, matchesText: named === '' ? options.selectors : `${named} ${options.selectors}` }),
    ...(fields?.required === undefined ? {} : { required: fields.required }),
  };
}

const isNamed = (name: string): FieldRequirement => ({ key: 'metadata.name', value: name, isEqual: true });

type Matches = (stored: Stored) => boolean;

/** By the key: most objects have another name, and need not be decoded to see that. */
function isKeptAs(name: string): Matches {
  const end = `/${name}`;
  return ({ key }) => key.endsWith(end);
}

/** All that are given, in this order; undefined: none is. */
const all = (...given: readonly (Matches | undefined)[]): Matches | undefined =>
  given.reduce((one, other) => (one === undefined || other === undefined ? (one ?? other) : (stored) => one(stored) && other(stored)), undefined);
