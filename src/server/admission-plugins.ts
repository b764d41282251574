import { failureText } from '#base';
import { orderedPlugins, type AdmissionEnv, type AdmissionHooks, type AdmissionPlugin, type NamedHooks } from '#admission';
import type { Brand } from '#api';
import type { AdmissionOptions } from './options.ts';
import { checkChange, checkSilence } from './own-changes.ts';
import { faultOfHooks } from './own-plugins.ts';
import { runOwn } from './run-own.ts';

/**
 * The plugins that run, in order: those that are on by default and those switched on, without those switched off.
 * Throws an `Error` that lists the known names where one is not known, or that names the one which is there twice, or is switched on and off at once.
 * @spec 4.11
 */
function choosePlugins(
  { enable = [], disable = [], config = {}, plugins = [] }: AdmissionOptions,
  known: readonly AdmissionPlugin[] = orderedPlugins(plugins),
): readonly AdmissionPlugin[] {
  const names = new Set(known.map(({ name }) => name));
  const twice = known.find(({ name }, at) => known.findIndex((other) => other.name === name) < at);
  if (twice !== undefined) throw new Error(`admission plugin ${JSON.stringify(twice.name)} is there twice: give one of your own another name`);
  const unknown = [...enable, ...disable, ...Object.keys(config)].filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new Error(`admission plugin ${unknown.map((name) => JSON.stringify(name)).join(', ')} is not known; there are ${[...names].sort().join(', ')}`);
  }
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0) throw new Error(`admission plugin ${both.join(', ')} is switched on and off at once`);
  return known.filter((plugin) => !disable.includes(plugin.name) && (plugin.enabled || enable.includes(plugin.name)));
}

/** Builds the plugins. Throws an `Error` that names the plugin whose configuration is invalid, or whose hooks would never run. */
export function buildPlugins(options: AdmissionOptions, env: Omit<AdmissionEnv, 'config'>): readonly NamedHooks[] {
  const { config = {}, plugins = [] } = options;
  const full: AdmissionEnv = { ...env, config: (plugin) => (Object.hasOwn(config, plugin) ? config[plugin] : undefined) };
  return choosePlugins(options).map((plugin) => {
    if (!plugins.includes(plugin)) return { ...plugin.create(full), name: plugin.name };
    const hooks = hooksOf(plugin, full);
    const fault = faultOfHooks(hooks, env.catalog);
    if (fault !== undefined) throw new Error(`admission plugin ${JSON.stringify(plugin.name)}: ${fault}`);
    return named(hooks, plugin.name, env.brand);
  });
}

function hooksOf(plugin: AdmissionPlugin, env: AdmissionEnv): AdmissionHooks {
  try {
    return plugin.create(env);
  } catch (cause) {
    throw new Error(`admission plugin ${JSON.stringify(plugin.name)} cannot be made: ${failureText(cause)}`, { cause });
  }
}

/** The hooks of a program may be an object of a class, whose functions are not its own members and need it as their `this`. */
function named(hooks: AdmissionHooks, name: string, brand: Brand): NamedHooks {
  const { on, kinds, mutate, validate, start } = hooks;
  const part = `admission plugin ${JSON.stringify(name)}`;
  return {
    name,
    on,
    ...(kinds === undefined ? {} : { kinds }),
    ...(mutate === undefined ? {} : { mutate: (request) => runOwn(part, () => mutate.call(hooks, request), (said) => checkChange(said, request, brand)) }),
    ...(validate === undefined ? {} : { validate: (request) => runOwn(part, () => validate.call(hooks, request), checkSilence) }),
    ...(start === undefined ? {} : { start: start.bind(hooks) }),
  };
}
