import { startController, type Running } from '#client';
import { startAccountTokens } from './account-tokens.ts';
import { startBootstrapSigner } from './bootstrap-signer.ts';
import { startWithTokens } from './bootstrap-tokens.ts';
import { approving, cleaning, startSigning } from './certificates/index.ts';
import { startEndpointSliceMirroring } from './endpointslice-mirroring.ts';
import type { ServerControllerEnv } from './environment.ts';
import { startGarbageCollector } from './garbage-collector/index.ts';
import { startNamespaceController } from './namespace/index.ts';
import { podCollection } from './pod-collection.ts';
import { startResourceQuota } from './resource-quota.ts';
import { roleAggregation } from './role-aggregation.ts';
import { startRootCaPublisher } from './root-ca-publisher.ts';
import { serviceAccounts } from './service-accounts.ts';
import { tokenCleaner } from './token-cleaner.ts';
import { startTokens } from './tokens.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';
import { claimProtection, volumeProtection } from './volume-protection.ts';

/** A controller of the server. */
export interface ControllerRow {
  /** The name in `--controllers`. */
  readonly name: string;
  /** Not included in `*`: it runs only when it is named. */
  readonly isOptIn?: boolean;
  /** Starts it; undefined: there is nothing for it to do here. */
  start(env: ServerControllerEnv): Running | undefined;
}

/** Sorted by name; controllers that Kubernetes has too have the same names. */
export const CONTROLLERS: readonly ControllerRow[] = [
  { name: 'bootstrapsigner', isOptIn: true, start: startBootstrapSigner },
  { name: 'clusterrole-aggregation', start: (env) => startController(roleAggregation, env) },
  { name: 'csrapproving', start: (env) => startController(approving, env) },
  { name: 'csrcleaner', start: (env) => startController(cleaning, env) },
  { name: 'csrsigning', start: startSigning },
  { name: 'endpointslicemirroring', start: startEndpointSliceMirroring },
  { name: 'garbagecollector', start: startGarbageCollector },
  { name: 'namespace', start: startNamespaceController },
  { name: 'podgc', start: (env) => startController(podCollection, env) },
  { name: 'pv-protection', start: (env) => startController(volumeProtection, env) },
  { name: 'pvc-protection', start: (env) => startController(claimProtection, env) },
  { name: 'resourcequota', start: startResourceQuota },
  { name: 'root-ca-cert-publisher', start: startRootCaPublisher },
  { name: 'serviceaccount', start: (env) => startController(serviceAccounts, env) },
  { name: 'serviceaccount-token', start: startTokens },
  { name: 'serviceaccount-token-autogeneration', isOptIn: true, start: startAccountTokens },
  { name: 'tokencleaner', isOptIn: true, start: (env) => startWithTokens(tokenCleaner, env) },
  { name: 'ttl-after-finished', start: (env) => startController(ttlAfterFinished, env) },
];
