import { checkConfigMapKey, checkDnsLabel, checkDnsSubdomain, report, type Faults } from '#api';
import { goStruct, GoValue, type FieldErrors } from '#errors';
import { requireText } from '../value-checks.ts';
import type { NodeConfigSource } from './node-spec.ts';
import type { NodeConfigStatus } from './node-status.ts';

type Reference = NonNullable<NodeConfigSource['configMap']>;

/** Validates where a node is to read the configuration of its kubelet. `at`: the path of the source. */
export function validateNodeConfigSource(source: NodeConfigSource, at: FieldErrors): void {
  validateSource(source, at, ({ uid, resourceVersion }, here) => {
    if (uid) here.child('uid').forbidden('uid must not be set in spec');
    if (resourceVersion) here.child('resourceVersion').forbidden('resourceVersion must not be set in spec');
  });
}

/** Validates the configurations that a kubelet reports. `at`: the path of the report. */
export function validateNodeConfigStatus({ assigned, active, lastKnownGood }: NodeConfigStatus, at: FieldErrors): void {
  for (const [name, source] of Object.entries({ assigned, active, lastKnownGood })) {
    if (source === undefined) continue;
    validateSource(source, at.child(name), ({ uid, resourceVersion }, here) => {
      requireText(uid, here.child('uid'), 'uid must be set in status');
      requireText(resourceVersion, here.child('resourceVersion'), 'resourceVersion must be set in status');
    });
  }
}

/** `validateRevision`: looks at what tells one revision of the map from another. */
function validateSource({ configMap }: NodeConfigSource, at: FieldErrors, validateRevision: (reference: Reference, at: FieldErrors) => void): void {
  if (configMap === undefined) {
    at.invalid(goStruct('core.NodeConfigSource', { ConfigMap: new GoValue('(*core.ConfigMapNodeConfigSource)(nil)') }), 'exactly one reference subfield must be non-nil');
    return;
  }
  const here = at.child('configMap');
  validateRevision(configMap, here);
  requireMember(configMap, 'namespace', here, checkDnsLabel);
  requireMember(configMap, 'name', here, checkDnsSubdomain);
  requireMember(configMap, 'kubeletConfigKey', here, checkConfigMapKey);
}

function requireMember(reference: Reference, name: 'namespace' | 'name' | 'kubeletConfigKey', at: FieldErrors, check: (value: string) => Faults): void {
  const place = at.child(name);
  const value = reference[name];
  if (requireText(value, place, `${name} must be set`)) report(place, value, check(value));
}
