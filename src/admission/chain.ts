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
  const mutating = plugins.filter((plugin) => plugin.mutate !== undefined).map((plugin) => watched(plugin, 'admit', observer));
  const validating = plugins.filter((plugin) => plugin.validate !== undefined).map((plugin) => watched(plugin, 'validate', observer));
  const mutate = async (request: AdmissionRequest): Promise<void> => {
    if (await mutateOnce(mutating, request)) await mutateOnce(mutating, request);
  };
  const validate = async (request: AdmissionRequest): Promise<void> => {
    for (const plugin of validating) if (concerns(plugin, request)) await plugin.validate?.(request);
  };
  if (observer === undefined) return { mutate, validate };
  return {
    mutate: (request) => timed(() => mutate(request), request, (run) => observer.step({ ...run, step: 'admit' })),
    validate: (request) => timed(() => validate(request), request, (run) => observer.step({ ...run, step: 'validate' })),
  };
}

/** Whether earlier plugins should look again. */
async function mutateOnce(plugins: readonly AdmissionHooks[], request: AdmissionRequest): Promise<boolean> {
  let isAgain = false;
  for (const plugin of plugins) {
    if (concerns(plugin, request) && (await plugin.mutate?.(request)) === 'again') isAgain = true;
  }
  return isAgain;
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
    ? { ...concern, mutate: (request) => timed(async () => plugin.mutate?.(request), request, tell) }
    : { ...concern, validate: (request) => timed(async () => plugin.validate?.(request), request, tell) };
}

async function timed<T>(run: () => Promise<T>, { operation }: Readonly<AdmissionRequest>, tell: (run: Run) => void): Promise<T> {
  const startedMs = performance.now();
  let rejected = true;
  try {
    const result = await run();
    rejected = false;
    return result;
  } finally {
    tell({ operation, rejected, durationMs: performance.now() - startedMs });
  }
}
