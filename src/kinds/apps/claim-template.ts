import { ObjectMeta } from '#api';
import { t } from '#schema';
import { PersistentVolumeClaimSpec } from '../core/volume/claim.ts';
import { PersistentVolumeClaimStatus } from '../core/volume/claim-status.ts';

/** A whole claim inside another object; each pod gets one like it. The head does not exist in protobuf. */
export class ClaimTemplate extends t.message('core/v1.PersistentVolumeClaim', {
  kind: t.string(0),
  apiVersion: t.string(0),
  metadata: t.one(1, ObjectMeta),
  spec: t.one(2, PersistentVolumeClaimSpec),
  status: t.one(3, PersistentVolumeClaimStatus),
}) {}
