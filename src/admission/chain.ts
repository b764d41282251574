import { isPromised } from '#base';
import type { Resource } from '#api';
import type { AdmissionObserver, Step } from './observer.ts';
import type { Operation } from './operation.ts';
import type { AdmissionHooks, AdmissionRequest } from './plugin.ts';

/**
 * The plugins of a server, in execution order: mutating, then validating. A plugin that throws ends the request. A promise is returned only where a
 * plugin returns one, which is rare; otherwise the chain is synchronous, and throws synchronously.
 * @spec 4.11
 */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): Promise<void> | void;
  validate(request: AdmissionRequest): Promise<void> | void;
}

/** Hooks without a name are not reported to the observer. */
export interface NamedHooks extends AdmissionHooks {
  readonly name?: string;
}

/** Creates the chain of these plugins, which run in the given order; a plugin without the hook of a phase is skipped in it. */
export function createAdmissionChain(plugins: readonly NamedHooks[], observer?: AdmissionObserver): AdmissionChain {
  const mutating = selector(plugins.filter((plugin) => plugin.mutate !== undefined).map((plugin) => watched(plugin, 'admit', observer)));
  const validating = selector(plugins.filter((plugin) => plugin.validate !== undefined).map((plugin) => watched(plugin, 'validate', observer)));
  const mutate = (request: AdmissionRequest): Promise<void> | void => mutateAll(mutating(request), request);
  const validate = (request: AdmissionRequest): Promise<void> | void => validateAll(validating(request), request, 0);
  if (observer === undefined) return { mutate, validate };
  const mutated: Tell = (operation, rejected, durationMs) => observer.step({ operation, rejected, durationMs, step: 'admit' });
  const validated: Tell = (operation, rejected, durationMs) => observer.step({ operation, rejected, durationMs, step: 'validate' });
  return { mutate: (request) => timed(mutate, request, mutated), validate: (request) => timed(validate, request, validated) };
}

function mutateAll(plugins: readonly AdmissionHooks[], request: AdmissionRequest): Promise<void> | void {
  const isAgain = mutateFrom(0, plugins, request, false);
  if (isPromised(isAgain)) return mutateAgain(isAgain, plugins, request);
  if (!isAgain) return;
  const done = mutateFrom(0, plugins, request, false);
  return isPromised(done) ? done.then(() => {}) : undefined;
}

async function mutateAgain(first: Promise<boolean>, plugins: readonly AdmissionHooks[], request: AdmissionRequest): Promise<void> {
  if (await first) await mutateFrom(0, plugins, request, false);
}

/** Runs the mutating plugins from `at` on. Returns whether one of them asks for a second run of the chain. */
function mutateFrom(at: number, plugins: readonly AdmissionHooks[], request: AdmissionRequest, wasAgain: boolean): Promise<boolean> | boolean {
  let isAgain = wasAgain;
  for (let next = at; next < plugins.length; next++) {
    const done = plugins[next]!.mutate?.(request);
    if (isPromised(done)) return done.then((said) => mutateFrom(next + 1, plugins, request, isAgain || said === 'again'));
    if (done === 'again') isAgain = true;
  }
  return isAgain;
}

function validateAll(plugins: readonly AdmissionHooks[], request: AdmissionRequest, at: number): Promise<void> | void {
  for (let next = at; next < plugins.length; next++) {
    const checked = plugins[next]!.validate?.(request);
    if (isPromised(checked)) return checked.then(() => validateAll(plugins, request, next + 1));
  }
}

type Select = (request: AdmissionRequest) => readonly AdmissionHooks[];

/** Selects the plugins for a request; cached by resource, operation and subresource. */
function selector(plugins: readonly AdmissionHooks[]): Select {
  const known = new WeakMap<Resource, Map<string, readonly AdmissionHooks[]>>();
  return (request) => {
    let parts = known.get(request.resource);
    if (parts === undefined) known.set(request.resource, (parts = new Map()));
    const part = `${request.operation}/${request.subresource}`;
    let concerned = parts.get(part);
    if (concerned === undefined) parts.set(part, (concerned = plugins.filter((plugin) => concerns(plugin, request))));
    return concerned;
  };
}

function concerns(plugin: AdmissionHooks, request: AdmissionRequest): boolean {
  if (!plugin.on.includes(request.operation)) return false;
  if (plugin.kinds === undefined) return true;
  const { kind } = request.resource;
  const path = `${kind.group}/${kind.plural}`;
  return plugin.kinds.includes(request.subresource === '' ? path : `${path}/${request.subresource}`);
}

/** The same hooks, with every run reported to the observer. */
function watched(plugin: NamedHooks, step: Step, observer: AdmissionObserver | undefined): AdmissionHooks {
  const { name } = plugin;
  if (observer === undefined || name === undefined) return plugin;
  const tell: Tell = (operation, rejected, durationMs) => observer.plugin({ operation, rejected, durationMs, name, step });
  const { on, kinds } = plugin;
  const concern = kinds === undefined ? { on } : { on, kinds };
  if (step === 'admit') {
    const mutate = (request: AdmissionRequest): Promise<void | 'again'> | void | 'again' => plugin.mutate?.(request);
    return { ...concern, mutate: (request) => timed(mutate, request, tell) };
  }
  const validate = (request: Readonly<AdmissionRequest>): Promise<void> | void => plugin.validate?.(request);
  return { ...concern, validate: (request) => timed(validate, request, tell) };
}

type Tell = (operation: Operation, rejected: boolean, durationMs: number) => void;

/** Runs a hook and reports its duration; synchronous where the hook is. */
function timed<R extends Readonly<AdmissionRequest>, T>(run: (request: R) => Promise<T> | T, request: R, tell: Tell): Promise<T> | T {
  const { operation } = request;
  const startedMs = performance.now();
  let result: Promise<T> | T;
  try {
    result = run(request);
  } catch (cause) {
    tell(operation, true, performance.now() - startedMs);
    throw cause;
  }
  if (isPromised(result)) return timedLater(result, operation, startedMs, tell);
  tell(operation, false, performance.now() - startedMs);
  return result;
}

async function timedLater<T>(result: Promise<T>, operation: Operation, startedMs: number, tell: Tell): Promise<T> {
  let rejected = true;
  try {
    const value = await result;
    rejected = false;
    return value;
  } finally {
    tell(operation, rejected, performance.now() - startedMs);
  }
}
