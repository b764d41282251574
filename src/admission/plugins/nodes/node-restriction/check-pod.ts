import { isDeepEqual } from '#base';
import { notFound } from '#errors';
import type { ApiObject } from '#api';
import type { Pod } from '#kinds';
import type { AdmissionEnv } from '../../../plugin.ts';
import { referredKinds } from '../../../referred-kinds.ts';
import type { NodeCheck } from './node-check.ts';

/** A node may create mirror pods of its static pods, and delete pods that are assigned to it. */
export const checkPod: NodeCheck = async (request, node, env) => {
  const who = `node ${JSON.stringify(node)}`;
  if (request.operation === 'CREATE') return checkMirror(request.object as Pod, node, env);
  if (request.operation !== 'DELETE') return `unexpected operation "${request.operation}", ${who} can only create and delete mirror pods`;
  // Absent while a delete is being planned; the check runs again with the pod that is found, before it is deleted.
  const pod = request.live as Pod | undefined;
  return pod === undefined || pod.spec.nodeName === node ? undefined : `${who} can only delete pods with spec.nodeName set to itself`;
};

/** A node may update the status of pods that are assigned to it. */
export const checkPodStatus: NodeCheck = ({ operation, object, live }, node) => {
  if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
  const [next, before] = [object as Pod, live as Pod];
  if (before.spec.nodeName !== node) return `node ${JSON.stringify(node)} can only update pod status for pods with spec.nodeName set to itself`;
  const isSame = isDeepEqual(next.metadata.labels ?? {}, before.metadata.labels ?? {});
  return isSame ? undefined : `node ${JSON.stringify(node)} cannot update labels through pod status`;
};

/** A node may evict pods that are assigned to it. */
export const checkEviction: NodeCheck = async (request, node, { objects }) => {
  if (request.operation !== 'CREATE') return `unexpected operation ${request.operation}`;
  const name = request.name || (request.object?.metadata.name ?? '');
  if (name === '') return 'could not determine pod from request data';
  const pod = (await objects.get({ group: '', kind: 'Pod' }, { namespace: request.namespace, name })) as Pod | undefined;
  if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, name);
  return pod.spec.nodeName === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
};

async function checkMirror(pod: Pod, node: string, { brand, objects }: AdmissionEnv): Promise<string | undefined> {
  const who = `node ${JSON.stringify(node)}`;
  const { mirrorPodAnnotation } = brand.names;
  if (pod.metadata.annotations?.[mirrorPodAnnotation] === undefined) {
    return `pod does not have ${JSON.stringify(mirrorPodAnnotation)} annotation, ${who} can only create mirror pods`;
  }
  if (pod.spec.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`;
  return whyNotOwner(pod, node, await objects.get({ group: '', kind: 'Node' }, { namespace: '', name: node })) ?? whyNotContent(pod, who);
}

function whyNotOwner({ metadata }: Pod, node: string, found: ApiObject | undefined): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  const [owner, ...more] = metadata.ownerReferences ?? [];
  if (more.length > 0) return `${who} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) return `${who} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) return `${who} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`;
  if (found === undefined) throw notFound({ group: '', resource: 'node' }, node);
  return owner.uid === found.metadata.uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`;
}

/** Through a pod that it creates itself, a node could read whatever the pod may read. */
function whyNotContent({ spec }: Pod, who: string): string | undefined {
  if (spec.serviceAccountName) return `${who} can not create pods that reference a service account`;
  const names = referredKinds(spec);
  if (names.has('secret')) return `${who} can not create pods that reference secrets`;
  if (names.has('configMap')) return `${who} can not create pods that reference configmaps`;
  return names.has('claim') ? `${who} can not create pods that reference persistentvolumeclaims` : undefined;
}
