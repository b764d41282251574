import { ObjectMeta } from '#api';
import { t } from '#schema';
import { PersistentVolumeClaimSpec } from '../core/volume/claim.ts';
import { PersistentVolumeClaimStatus } from '../core/volume/claim-status.ts';

/** A claim template inside a StatefulSet. Protobuf does not encode `kind` and `apiVersion`. */
export class ClaimTemplate extends t.message('core/v1.PersistentVolumeClaim', {
  kind: t.string(0),
  apiVersion: t.string(0),
  metadata: t.one(1, ObjectMeta),
  spec: t.one(2, PersistentVolumeClaimSpec),
  status: t.one(3, PersistentVolumeClaimStatus),
}) {}
