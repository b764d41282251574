import type { Resource } from '#api';
import type { AdmissionObserver, Step } from './observer.ts';
import type { Operation } from './operation.ts';
import type { AdmissionHooks, AdmissionRequest } from './plugin.ts';

/** The plugins of a server, in order. Mutating before validating; whoever throws ends the request. @spec 4.11 */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** Hooks that have no name are not told to the observer. */
export interface NamedHooks extends AdmissionHooks {
  readonly name?: string;
}

export function createAdmissionChain(plugins: readonly NamedHooks[], observer?: AdmissionObserver): AdmissionChain {
  const mutating = selector(plugins.filter((plugin) => plugin.mutate !== undefined).map((plugin) => watched(plugin, 'admit', observer)));
  const validating = selector(plugins.filter((plugin) => plugin.validate !== undefined).map((plugin) => watched(plugin, 'validate', observer)));
  const mutate = async (request: AdmissionRequest): Promise<void> => {
    const concerned = mutating(request);
    if (await mutateOnce(concerned, request)) await mutateOnce(concerned, request);
  };
  const validate = async (request: AdmissionRequest): Promise<void> => {
    for (const plugin of validating(request)) {
      const checked = plugin.validate?.(request);
      if (checked !== undefined) await checked;
    }
  };
  if (observer === undefined) return { mutate, validate };
  const mutated: Tell = (operation, rejected, durationMs) => observer.step({ operation, rejected, durationMs, step: 'admit' });
  const validated: Tell = (operation, rejected, durationMs) => observer.step({ operation, rejected, durationMs, step: 'validate' });
  return { mutate: async (request) => timed(mutate, request, mutated), validate: async (request) => timed(validate, request, validated) };
}

/** Whether earlier plugins should look again. */
async function mutateOnce(plugins: readonly AdmissionHooks[], request: AdmissionRequest): Promise<boolean> {
  let isAgain = false;
  for (const plugin of plugins) {
    const done = plugin.mutate?.(request);
    // Most plugins have their answer at hand.
    if ((done instanceof Promise ? await done : done) === 'again') isAgain = true;
  }
  return isAgain;
}

type Select = (request: AdmissionRequest) => readonly AdmissionHooks[];

/** Those that a request concerns, looked up once for each operation on each part of each resource. */
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

/** The same hooks, with the observer told of every run. */
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

/** No promise where the result is at hand. */
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
  if (result instanceof Promise) return timedLater(result, operation, startedMs, tell);
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
