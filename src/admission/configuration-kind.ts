import { isJsonObject, memberOf, type JsonObject } from '#base';
import { versionInAnyDialect } from '#api';

/** What the configuration of a plugin says that it is. The group is in neutral form: files travel between servers of both dialects. */
export interface ConfigurationKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

const versionsOf = ({ group, version }: ConfigurationKind): readonly string[] => versionInAnyDialect(group, version);

/** What is wrong with the configuration of a plugin, for whoever wrote it. */
export const configurationFault = (plugin: string, why: string): Error => new Error(`configuration of the admission plugin ${plugin}: ${why}`);

/**
 * The configuration of a plugin, which must be of this kind, or of one of those that there were before it. Throws an `Error` that names the plugin and
 * the kind that its configuration must be of.
 * @spec 2.8
 */
export function requireKind(plugin: string, configuration: unknown, wanted: ConfigurationKind, ...earlier: readonly ConfigurationKind[]): JsonObject {
  const given = isJsonObject(configuration) ? configuration : {};
  const [apiVersion, kind] = [memberOf(given, 'apiVersion'), memberOf(given, 'kind')];
  const isOf = (known: ConfigurationKind): boolean => kind === known.kind && versionsOf(known).some((version) => version === apiVersion);
  if ([wanted, ...earlier].some(isOf)) return given;
  throw configurationFault(plugin, `must be a ${wanted.kind} of ${versionsOf(wanted).join(' or ')}`);
}
