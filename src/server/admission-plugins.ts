import { orderedPlugins, type AdmissionEnv, type AdmissionPlugin, type NamedHooks } from '#admission';
import type { AdmissionOptions } from './options.ts';

/**
 * The plugins that run, in order: those that are on by default and those switched on, without those switched off.
 * Throws an `Error` that lists the known names where one is not known, or is switched on and off at once.
 * @spec 4.11
 */
function choosePlugins(
  { enable = [], disable = [], config = {}, plugins = [] }: AdmissionOptions,
  known: readonly AdmissionPlugin[] = orderedPlugins(plugins),
): readonly AdmissionPlugin[] {
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...enable, ...disable, ...Object.keys(config)].filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new Error(`admission plugin ${unknown.map((name) => JSON.stringify(name)).join(', ')} is not known; there are ${[...names].sort().join(', ')}`);
  }
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0) throw new Error(`admission plugin ${both.join(', ')} is switched on and off at once`);
  return known.filter((plugin) => !disable.includes(plugin.name) && (plugin.enabled || enable.includes(plugin.name)));
}

/** Builds the plugins. Throws an `Error` that names the plugin whose configuration is invalid. */
export function buildPlugins(options: AdmissionOptions, env: Omit<AdmissionEnv, 'config'>): readonly NamedHooks[] {
  const { config = {} } = options;
  const full: AdmissionEnv = { ...env, config: (plugin) => (Object.hasOwn(config, plugin) ? config[plugin] : undefined) };
  return choosePlugins(options).map((plugin) => ({ ...plugin.create(full), name: plugin.name }));
}
