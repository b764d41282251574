import { versionsOf, type Definition, type DefinitionVersion } from './definition.ts';
import { compareVersions } from '#api';

/** The warning for requests through a deprecated version; undefined: none. */
export function deprecationWarning(definition: Definition, { name, deprecated, deprecationWarning: own }: DefinitionVersion): string | undefined {
  if (deprecated !== true) return undefined;
  if (own !== undefined) return own;
  const { group, names } = definition.spec;
  const newer = versionsOf(definition)
    .filter((one) => one.served && one.deprecated !== true && compareVersions(one.name, name) < 0)
    .map((one) => one.name)
    .sort(compareVersions);
  const advice = newer[0] === undefined ? '' : `; use ${group}/${newer[0]} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${advice}`;
}
