import { cloneJson, isDeepEqual } from '#base';
import { notFound } from '#errors';
import type { ApiObject } from '#api';
import type { PersistentVolumeClaim, Pod, TokenRequest } from '#kinds';
import type { NodeCheck } from './node-check.ts';

/** A node may report the capacity and the conditions of a claim, and nothing else about it. */
export const checkClaimStatus: NodeCheck = ({ operation, object, live }, node) => {
  if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
  const isSame = isDeepEqual(withoutSize(object as PersistentVolumeClaim), withoutSize(live as PersistentVolumeClaim));
  return isSame ? undefined : `node ${JSON.stringify(node)} is not allowed to update fields other than status.capacity and status.conditions`;
};

function withoutSize(claim: PersistentVolumeClaim): ApiObject {
  const copy = cloneJson(claim) as PersistentVolumeClaim;
  delete copy.status.capacity;
  delete copy.status.conditions;
  delete copy.metadata.resourceVersion;
  delete copy.metadata.managedFields;
  return copy;
}

/** A node may request tokens for pods that run on it, bound to the pod, so that they are invalid once it is deleted. */
export const checkTokenRequest: NodeCheck = async ({ operation, namespace, object }, node, { objects }) => {
  if (operation !== 'CREATE') return undefined;
  const bound = (object as TokenRequest).spec.boundObjectRef;
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name) return 'node requested token not bound to a pod';
  if (!bound.uid) return 'node requested token with a pod binding without a uid';
  const pod = (await objects.get({ group: '', kind: 'Pod' }, { namespace, name: bound.name })) as Pod | undefined;
  if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, bound.name);
  if (bound.uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  return pod.spec.nodeName === node ? undefined : 'node requested token bound to a pod scheduled on a different node';
};

/** A node may write only its own lease, its heartbeat. */
export const checkLease: NodeCheck = ({ namespace, name, object }, node, { brand }) => {
  const { leaseNamespace } = brand.names;
  if (namespace !== leaseNamespace) return `can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`;
  return (name || object?.metadata.name) === node ? undefined : 'can only access node lease with the same name as the requesting node';
};

export const checkCsiNode: NodeCheck = ({ name, object }, node) =>
  (name || object?.metadata.name) === node ? undefined : 'can only access CSINode with the same name as the requesting node';
