import type { Operation } from '#admission';
import type { Brand } from '#api';
import type { DeleteOrder } from '#registry';

/** What admission is told a request does, with its options. */
export interface OperationPlan {
  readonly operation: Operation;
  readonly dryRun: boolean;
  /** The value in the query; empty where it is absent. */
  readonly fieldManager: string;
  /** As in the query; absent or empty where it is not given. */
  readonly fieldValidation?: string;
  /** For deletes: propagation, grace period and preconditions. */
  readonly order?: DeleteOrder;
}

const KINDS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/**
 * The options of a request as admission sees them: those of the operation, not of the verb, so that a patch that creates an object shows
 * CreateOptions. undefined: the operation has no options.
 */
export function admissionOptions(operation: Operation, { dryRun, fieldManager, fieldValidation, order }: Omit<OperationPlan, 'operation'>, brand: Brand): Readonly<Record<string, unknown>> | undefined {
  if (operation === 'CONNECT') return undefined;
  return {
    kind: KINDS[operation],
    apiVersion: `${brand.group('meta')}/v1`,
    ...(order === undefined ? {} : deletionOf(order)),
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

function deletionOf({ graceSeconds, propagation, orphanDependents, uid, resourceVersion }: DeleteOrder): object {
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return {
    ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
  };
}
