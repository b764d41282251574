import { isLongerThan } from '#base';
import { checkDnsSubdomain, report } from '#api';
import type { FieldErrors } from '#errors';
import type { PodRules } from '../pod/pod-rules.ts';
import { requireText } from '../../value-checks.ts';
import type { CSIVolumeSource, FlexVolumeSource } from './driver.ts';

const MAX_DRIVER = 63;

/** Options in Kubernetes' own domains are reserved. */
export function validateFlex({ driver, options = {} }: Pick<FlexVolumeSource, 'driver' | 'options'>, at: FieldErrors, { brand }: PodRules): void {
  requireText(driver, at.child('driver'));
  const reserved = [brand.names.domain, brand.names.shortDomain];
  for (const key of Object.keys(options)) {
    const domain = `.${key.split('/', 1)[0] ?? ''}`.toLowerCase();
    if (reserved.some((one) => domain.endsWith(`.${one}`))) at.child('options').key(key).invalid(key, `${reserved.join(' and ')} namespaces are reserved`);
  }
}

export function validateDriverName(driver: string, at: FieldErrors): void {
  requireText(driver, at);
  if (isLongerThan(driver, MAX_DRIVER)) at.tooLong(driver, MAX_DRIVER);
  report(at, driver, checkDnsSubdomain(driver.toLowerCase()));
}

export function validateCsi({ driver, nodePublishSecretRef }: CSIVolumeSource, at: FieldErrors): void {
  validateDriverName(driver, at.child('driver'));
  if (nodePublishSecretRef === undefined) return;
  // The path ends with a space, as in kube-apiserver.
  const { name } = nodePublishSecretRef;
  if (requireText(name, at.child('nodePublishSecretRef ', 'name'))) report(at.child('name'), name, checkDnsSubdomain(name));
}
