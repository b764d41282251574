import { formatKey, keyOf, orMissing, source, type Controller, type ControllerEnv } from '#client';
import type { ApiObject, ObjectKey } from '#api';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '#kinds';

const BY_CLAIM = 'claim';

/** Ignores that the object is gone: another writer may have removed the finalizer first. */
async function settle(written: Promise<ApiObject>): Promise<void> {
  await orMissing(written);
}

const finalizerOf = (env: ControllerEnv, what: string): string => `${env.client.brand.names.domain}/${what}-protection`;

/** Gives every claim a finalizer, and delays its deletion until no pod on a node uses it. */
export const claimProtection: Controller<PersistentVolumeClaim> = {
  name: 'pvc-protection',
  watches: PersistentVolumeClaim,
  also: [source(Pod, (pod) => claimsOf(pod))],
  prepare: ({ inform }) => inform(Pod).addIndex(BY_CLAIM, (pod) => claimsOf(pod).map(formatKey)),
  async reconcile(key, env) {
    const { client, inform } = env;
    const claim = inform(PersistentVolumeClaim).get(key);
    const finalizer = finalizerOf(env, 'pvc');
    if (claim === undefined) return undefined;
    const claims = client.of(PersistentVolumeClaim);
    if (isBare(claim, finalizer)) await settle(claims.update(withFinalizer(claim, finalizer)));
    if (!isHeldBy(claim, finalizer)) return undefined;
    if (inform(Pod).by(BY_CLAIM, formatKey(key)).some((pod) => isUsedBy(pod, claim))) return undefined;
    // Read from the server: the informer may be stale, and a removed finalizer does not come back.
    const { items } = await client.of(Pod).list({ namespace: key.namespace });
    if (items.some((pod) => isUsedBy(pod, claim))) return undefined;
    await settle(claims.update(withoutFinalizer(claim, finalizer)));
    return undefined;
  },
};

/** Gives every volume a finalizer, and delays its deletion until no claim is bound to it. */
export const volumeProtection: Controller<PersistentVolume> = {
  name: 'pv-protection',
  watches: PersistentVolume,
  async reconcile(key, env) {
    const volume = env.inform(PersistentVolume).get(key);
    const finalizer = finalizerOf(env, 'pv');
    if (volume === undefined) return undefined;
    const volumes = env.client.of(PersistentVolume);
    if (isBare(volume, finalizer)) await settle(volumes.update(withFinalizer(volume, finalizer)));
    if (isHeldBy(volume, finalizer) && volume.status.phase !== 'Bound') await settle(volumes.update(withoutFinalizer(volume, finalizer)));
    return undefined;
  },
};

const isHeldBy = ({ metadata }: ApiObject, finalizer: string): boolean => !!metadata.deletionTimestamp && (metadata.finalizers ?? []).includes(finalizer);

/** Whether the object may be deleted while it is in use: it was made without the admission plugin, or somebody took the finalizer away. */
const isBare = ({ metadata }: ApiObject, finalizer: string): boolean => !metadata.deletionTimestamp && !(metadata.finalizers ?? []).includes(finalizer);

const withFinalizer = <T extends ApiObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] },
});

const withoutFinalizer = <T extends ApiObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: (object.metadata.finalizers ?? []).filter((one) => one !== finalizer) },
});

/**
 * Whether a pod uses a claim. A pod that is not scheduled yet will not get one that is being deleted. One that its node is done with holds no claim that
 * was made for it: such a pod may wait for its claims to go.
 */
function isUsedBy({ metadata, spec }: Pod, claim: PersistentVolumeClaim): boolean {
  if (!spec.nodeName) return false;
  const { name = '' } = claim.metadata;
  const isDone = !!metadata.deletionTimestamp && Number(metadata.deletionGracePeriodSeconds ?? 1) === 0;
  const isIts = (claim.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === metadata.uid);
  return (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === name || (!isDone && isIts && madeFor(metadata, volume) === name));
}

type Volume = NonNullable<Pod['spec']['volumes']>[number];

/** The name of the claim that is made for an ephemeral volume; undefined: it is none. */
const madeFor = ({ name: pod = '' }: Pod['metadata'], { name, ephemeral }: Volume): string | undefined => (ephemeral === undefined ? undefined : `${pod}-${name}`);

/** Claims named by the pod, or generated for its ephemeral volumes. */
const claimsOf = (pod: Pod): readonly ObjectKey[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName ?? madeFor(pod.metadata, volume);
    return name === undefined ? [] : { ...keyOf(pod), name };
  });
