import type { AdmissionHooks, AdmissionRequest } from './plugin.ts';

/** The plugins of a server, in order. Mutating before validating; whoever throws ends the request. @spec 4.11 */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

export function createAdmissionChain(plugins: readonly AdmissionHooks[]): AdmissionChain {
  return {
    async mutate(request) {
      for (const plugin of plugins) if (plugin.mutate !== undefined && concerns(plugin, request)) await plugin.mutate(request);
    },
    async validate(request) {
      for (const plugin of plugins) if (plugin.validate !== undefined && concerns(plugin, request)) await plugin.validate(request);
    },
  };
}

function concerns(plugin: AdmissionHooks, request: AdmissionRequest): boolean {
  if (!plugin.on.includes(request.operation)) return false;
  if (plugin.kinds === undefined) return true;
  const { kind } = request.resource;
  const path = `${kind.group}/${kind.plural}`;
  return plugin.kinds.includes(request.subresource === '' ? path : `${path}/${request.subresource}`);
}
