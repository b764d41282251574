import type { PersistentVolume } from '#kinds';
import { definePlugin, refuse, type AdmissionRequest } from '../../plugin.ts';

/** Disks of clouds: the member that names one, and how the cloud and its disks are called. */
const DISKS = [
  { source: 'awsElasticBlockStore', name: 'volumeID', disk: 'AWS EBS volume', cloud: 'AWS cloud provider for EBS' },
  { source: 'gcePersistentDisk', name: 'pdName', disk: 'GCE PD volume', cloud: 'GCE cloud provider for PD' },
  { source: 'azureDisk', name: 'diskName', disk: 'AzureDisk volume', cloud: 'Azure cloud provider for AzureDisk' },
  { source: 'cinder', name: 'volumeID', disk: 'Cinder volume', cloud: 'OpenStack cloud provider for Cinder disk' },
  { source: 'vsphereVolume', name: 'volumePath', disk: 'vSphere Volume', cloud: 'vSphere cloud provider', isAlwaysAsked: true },
] as const;

/** The name of a disk that its cloud has yet to make. */
const UNMADE = 'placeholder-for-provisioning';

/**
 * Puts new volumes to the nodes of the zone in their labels, where who made them could know it. The zone of other disks only their cloud could tell:
 * they are refused, since this server asks none.
 * @spec 4.11
 */
export const persistentVolumeLabel = definePlugin({
  name: 'PersistentVolumeLabel',
  enabled: false,
  band: 'builtin',
  after: ['ExtendedResourceToleration'],
  create: ({ brand: { names } }) => ({
    on: ['CREATE'],
    kinds: ['/persistentvolumes'],
    mutate(request) {
      const volume = request.object as PersistentVolume;
      const { annotations = {}, labels = {} } = volume.metadata;
      const isMade = Object.hasOwn(annotations, `pv.${names.domain}/provisioned-by`);
      const place = [`topology.${names.domain}/`, `failure-domain.beta.${names.domain}/`].find((prefix) => Object.hasOwn(labels, `${prefix}zone`) && Object.hasOwn(labels, `${prefix}region`));
      if (isMade && place !== undefined) return putInto(request, volume, [`${place}zone`, `${place}region`], labels);
      refuseUnknown(request, volume);
    },
  }),
});

function refuseUnknown(request: AdmissionRequest, { spec }: PersistentVolume): void {
  const kind = DISKS.find(({ source }) => spec[source] !== undefined);
  if (kind === undefined) return;
  const name: unknown = Reflect.get(spec[kind.source] ?? {}, kind.name) ?? '';
  if (name === UNMADE && !('isAlwaysAsked' in kind)) return;
  throw refuse(request, `error querying ${kind.disk} ${name as string}: unable to build ${kind.cloud}`);
}

/** Requires the labels of nodes as well, unless the volume says something about one of them itself. */
function putInto(request: AdmissionRequest, { spec }: PersistentVolume, keys: readonly string[], labels: Readonly<Record<string, string>>): void {
  const requirements = keys.map((key) => ({ key, operator: 'In', values: key.endsWith('/zone') ? zonesOf(request, labels[key] ?? '') : [labels[key] ?? ''] }));
  const said = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (said.some(({ matchExpressions }) => (matchExpressions ?? []).some(({ key }) => keys.includes(key)))) return;
  const widened = said.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), ...requirements] }));
  spec.nodeAffinity = { ...spec.nodeAffinity, required: { nodeSelectorTerms: said.length === 0 ? [{ matchExpressions: requirements }] : widened } };
}

/** The zones in a label, as in `a__b`. */
function zonesOf(request: AdmissionRequest, label: string): string[] {
  const zones = label.split('__').map((zone) => zone.trim());
  if (zones.includes('')) throw refuse(request, `failed to convert label string for Zone: ${label} to a Set`);
  return [...new Set(zones)].sort();
}
