import type { FieldErrors } from '#errors';
import { requireText } from '../../value-checks.ts';
import { validateFileMode } from './file-mode.ts';
import type { ProjectedVolumeSource, ServiceAccountTokenProjection, VolumeProjection } from './projected.ts';
import { validateFile, validateItem } from './validate-content.ts';

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Validates a projected volume: no two sources may use the same path. */
export function validateProjected({ sources, defaultMode }: ProjectedVolumeSource, at: FieldErrors): void {
  validateFileMode(defaultMode, at.child('defaultMode'));
  const taken = new Set<string>();
  for (const [position, source] of (sources ?? []).entries()) validateProjection(source, at, at.child('sources').index(position), taken);
}

function validateProjection(source: VolumeProjection, volume: FieldErrors, at: FieldErrors, taken: Set<string>): void {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  for (const [name, one] of [['secret', secret], ['configMap', configMap]] as const) {
    if (one === undefined) continue;
    requireText(one.name, at.child(name, 'name'));
    for (const [position, item] of (one.items ?? []).entries()) {
      validateItem(item, at.child(name, 'items').index(position));
      // 1.23 shows the source of the file and not its path.
      take(item.path, one.name ?? '', taken, volume);
    }
  }
  for (const file of downwardAPI?.items ?? []) {
    validateFile(file, at.child('downwardAPI'));
    take(file.path, file.path, taken, volume);
  }
  if (serviceAccountToken) validateToken(serviceAccountToken, volume, at.child('serviceAccountToken'));
  if ([secret, configMap, downwardAPI, serviceAccountToken].filter(Boolean).length > 1) at.forbidden('may not specify more than 1 volume type');
}

/** Records a path; one that is already taken is reported with the value `shown`. */
function take(path: string, shown: string, taken: Set<string>, volume: FieldErrors): void {
  if (path !== '' && taken.has(path)) volume.invalid(shown, 'conflicting duplicate paths');
  taken.add(path);
}

/** kube-apiserver reports a missing path at the volume. The content of the path is not validated. */
function validateToken({ expirationSeconds = 0, path }: ServiceAccountTokenProjection, volume: FieldErrors, at: FieldErrors): void {
  const here = at.child('expirationSeconds');
  if (expirationSeconds < MIN_TOKEN_SECONDS) here.invalid(expirationSeconds, 'may not specify a duration less than 10 minutes');
  if (expirationSeconds > MAX_TOKEN_SECONDS) here.invalid(expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  requireText(path, volume.child('path'));
}
