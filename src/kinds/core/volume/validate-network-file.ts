import { isLongerThan } from '#base';
import type { FieldErrors } from '#errors';
import { requireText } from '../../value-checks.ts';
import type { CephFSVolumeSource, FlockerVolumeSource, GlusterfsVolumeSource, NFSVolumeSource, QuobyteVolumeSource } from './network-file.ts';

export function validateNfs({ server, path }: NFSVolumeSource, at: FieldErrors): void {
  requireText(server, at.child('server'));
  requireText(path, at.child('path'));
  if (!path.startsWith('/')) at.child('path').invalid(path, 'must be an absolute path');
}

export function validateGlusterfs({ endpoints, path }: Pick<GlusterfsVolumeSource, 'endpoints' | 'path'>, at: FieldErrors): void {
  requireText(endpoints, at.child('endpoints'));
  requireText(path, at.child('path'));
}

export function validateCephfs({ monitors }: Pick<CephFSVolumeSource, 'monitors'>, at: FieldErrors): void {
  if ((monitors ?? []).length === 0) at.child('monitors').required();
}

const MAX_TENANT = 64;
const REGISTRY_FAULT = 'must be a host:port pair or multiple pairs separated by commas';

export function validateQuobyte({ registry, volume, tenant = '' }: QuobyteVolumeSource, at: FieldErrors): void {
  if (requireText(registry, at.child('registry'), REGISTRY_FAULT)) {
    if (isLongerThan(tenant, MAX_TENANT)) at.child('tenant').required(`must be a UUID and may not exceed a length of ${MAX_TENANT} characters`);
    else validateRegistry(registry, at.child('registry'));
  }
  requireText(volume, at.child('volume'));
}

/** Every malformed pair is reported separately. */
function validateRegistry(registry: string, at: FieldErrors): void {
  const wrong = registry.split(',').filter((pair) => !isHostAndPort(pair));
  for (const _pair of wrong) at.invalid(registry, REGISTRY_FAULT);
}

/** Whether a text is `host:port` or `[address]:port`; both parts may be empty. */
const isHostAndPort = (text: string): boolean => /^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text);

export function validateFlocker({ datasetName = '', datasetUUID = '' }: FlockerVolumeSource, at: FieldErrors): void {
  if (datasetName === '' && datasetUUID === '') at.required('one of datasetName and datasetUUID is required');
  if (datasetName !== '' && datasetUUID !== '') at.invalid('resource', 'datasetName and datasetUUID can not be specified simultaneously');
  if (datasetName.includes('/')) at.child('datasetName').invalid(datasetName, `must not contain '/'`);
}
