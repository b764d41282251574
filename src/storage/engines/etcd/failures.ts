import { status, type ServiceError } from '@grpc/grpc-js';
import { failureText } from '#base';
import { StorageFailure, type StorageFailureCode } from '../../engine.ts';
import { ForeignMember } from './continuity.ts';

/** What etcd says of a call that failed. */
export type Trouble =
  /** The revision asked for is forgotten, or does not exist yet. */
  | 'compacted'
  | 'future'
  /** This member cannot answer now; another may. Whether a write was done is unknown. */
  | 'member'
  /** The lease of a write is gone. */
  | 'no-lease'
  /** No member will answer otherwise. */
  | 'final';

/** What etcd says where no code says it. */
const NO_SPACE = 'space exceeded';
const TOO_LARGE = /request is too large|message larger than max/;

const MEMBER_CODES: readonly (status | undefined)[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED, status.INTERNAL];

/** What a failed call means for whoever made it. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof ForeignMember) return 'member';
  const { code, details = '' } = error as Partial<ServiceError>;
  if (code === status.OUT_OF_RANGE) return details.includes('compacted') ? 'compacted' : 'future';
  if (code === status.NOT_FOUND && details.includes('lease')) return 'no-lease';
  return MEMBER_CODES.includes(code) ? 'member' : 'final';
}

/** The failure of a call that did not work out, saying what to do where there is something to do. */
export function failureOf(error: unknown, what: string): StorageFailure {
  if (error instanceof StorageFailure) return error;
  const { code, details } = error as Partial<ServiceError>;
  const told = details ?? failureText(error);
  return new StorageFailure(kindOf(error, told), `etcd: ${what}: ${told}${adviceOn(code, told)}`, { cause: error });
}

function kindOf(error: unknown, told: string): StorageFailureCode {
  if ((error as Partial<ServiceError>).code === status.DATA_LOSS || error instanceof RangeError) return 'corrupt';
  if (told.includes(NO_SPACE)) return 'full';
  return TOO_LARGE.test(told) ? 'tooLarge' : 'unavailable';
}

function adviceOn(code: status | undefined, told: string): string {
  if (told.includes(NO_SPACE)) return '. Compact and defragment it, or raise --quota-backend-bytes, and disarm its alarm';
  if (TOO_LARGE.test(told)) return '. Raise --max-request-bytes of etcd to store objects of this size';
  if (code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED) return '. The client certificate needs a role that may read and write all keys';
  return '';
}

export const closed = (): StorageFailure => new StorageFailure('unavailable', 'the store was closed');
