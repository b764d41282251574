import type { Resource } from '#api';
import type { AdmissionObserver, Run, Step } from './observer.ts';
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
  return {
    mutate: async (request) => timed(() => mutate(request), request, (run) => observer.step({ ...run, step: 'admit' })),
    validate: async (request) => timed(() => validate(request), request, (run) => observer.step({ ...run, step: 'validate' })),
  };
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
  const tell = (run: Run): void => observer.plugin({ ...run, name, step });
  const { on, kinds } = plugin;
  const concern = kinds === undefined ? { on } : { on, kinds };
  return step === 'admit'
    ? { ...concern, mutate: (request) => timed(() => plugin.mutate?.(request), request, tell) }
    : { ...concern, validate: (request) => timed(() => plugin.validate?.(request), request, tell) };
}

/** No promise where the result is at hand. */
function timed<T>(run: () => Promise<T> | T, { operation }: Readonly<AdmissionRequest>, tell: (run: Run) => void): Promise<T> | T {
  const startedMs = performance.now();
  const ended = (rejected: boolean): void => tell({ operation, rejected, durationMs: performance.now() - startedMs });
  let result: Promise<T> | T;
  try {
    result = run();
  } catch (cause) {
    ended(true);
    throw cause;
  }
  if (!(result instanceof Promise)) {
    ended(false);
    return result;
  }
  return result.then(
    (value) => {
      ended(false);
      return value;
    },
    (cause: unknown) => {
      ended(true);
      throw cause;
    },
  );
}
