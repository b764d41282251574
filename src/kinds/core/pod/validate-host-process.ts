import type { FieldErrors } from '#errors';
import { everyContainer } from './every-container.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';

/** Validates Windows HostProcess containers: either all containers of a pod are such or none, and the pod uses the host network. */
export function validateHostProcess(spec: PodSpec, at: FieldErrors, rules: PodRules): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let count = 0;
  let hostProcesses = 0;
  everyContainer(spec, at, (container, here) => {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      here
        .child('securityContext', 'windowsOptions', 'hostProcess')
        .invalid(own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`);
    }
    count++;
    if (own ?? ofPod) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== count) at.invalid('', 'If pod contains any hostProcess containers then all containers must be HostProcess containers');
  if (spec.hostNetwork !== true) at.child('hostNetwork').invalid(false, 'hostNetwork must be true if pod contains any hostProcess containers');
  if (!rules.allowsPrivileged) at.forbidden('hostProcess containers are disallowed by cluster policy');
}
