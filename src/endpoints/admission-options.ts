import type { Operation } from '#admission';
import type { Brand } from '#api';
import type { DeleteOrder } from '#registry';

/** The options of a write, whatever the verb. */
interface OperationOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation?: string;
  readonly order?: DeleteOrder;
}

const KINDS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/**
 * The options of a request as admission sees them: those of the operation, not of the verb, so that a patch that creates an object shows
 * CreateOptions. undefined: the operation has no options.
 */
export function admissionOptions(operation: Operation, { dryRun, fieldManager, fieldValidation, order }: OperationOptions, brand: Brand): Readonly<Record<string, unknown>> | undefined {
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
