import { status, type ServiceError } from '@grpc/grpc-js';
import { failureText } from '#base';
import { StorageFailure, unconfirmedFailure, type StorageFailureCode } from '../../storage-failure.ts';
import { ForeignMember } from './continuity.ts';

/** What kind of failure a call had. */
export type CallFailure =
  /** The requested revision was compacted, or does not exist yet. */
  | 'compacted'
  | 'future'
  /** This member cannot answer at present; another one may. The outcome of a write is unknown. */
  | 'member'
  /** The lease of a write has expired. */
  | 'no-lease'
  /** Every member would answer the same. */
  | 'final';

/** Parts of etcd's messages, for failures that have no status code of their own. */
const NO_SPACE = 'space exceeded';
const NO_USER = 'user name is empty';
const TOO_LARGE = /request is too large|message larger than max/;
/** What a member says, with the code of the unknown, that finds the deadline of a call over before its caller does. */
const LATE_THERE = 'context deadline exceeded';

/** The failed precondition: the member is a learner, which answers nothing until it is promoted. */
const MEMBER_CODES: readonly (status | undefined)[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED, status.INTERNAL, status.FAILED_PRECONDITION];

/** Codes by which etcd refuses a write before it does anything. */
const REFUSALS: readonly (status | undefined)[] = [
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.RESOURCE_EXHAUSTED,
  status.FAILED_PRECONDITION,
];

/** What gRPC puts around the reason why there is no connection, and OpenSSL around its own. */
const FRAME = /^No connection established\. Last error: (?:\w*Error(?: \[\w+\])?: )?(.*?)(?:\s*\(\d{4}-[-:.\dTZ]+\))?\s*\. Resolution note: $/s;
const OPENSSL_FRAME = /^[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]*):.*$/s;

/** What gRPC says of a call whose deadline is over: for how long it waited, for what, and, once it was sent, for whom. */
const LATE = /^Deadline exceeded after ([\d.]+s)(?:.*remote_addr=(\S+))?.*$/s;

/**
 * Why there is no connection or no answer, by what is said, and what to do about it. Each setting has its name in the URL, and a flag. `toConnecting`: the
 * same is said of connections that end, for other reasons.
 */
const OBSTACLES: readonly { readonly said: RegExp; readonly toConnecting?: true; readonly help: string }[] = [
  { said: /issuer certificate|self-signed certificate|unable to verify/, help: 'Give the file of an authority that vouches for its certificate: cafile, --etcd-cafile' },
  { said: /alert (?:bad certificate|certificate required|unknown ca)/, help: 'It wants the certificate of a client that it trusts: certfile and keyfile, --etcd-certfile and --etcd-keyfile' },
  { said: /altnames/, help: 'Give an address that its certificate names' },
  { said: /certificate has expired|certificate is not yet valid/, help: 'See to the certificate of etcd and to the clocks of both machines' },
  { said: /before secure TLS connection|wrong version number|packet length too long/, help: 'Perhaps it speaks without TLS: leave out tls and the files, write http:// in --etcd-servers' },
  { said: /^read ECONNRESET$/, toConnecting: true, help: 'Perhaps one of the two speaks with TLS and the other without: tls, http:// or https:// in --etcd-servers' },
  { said: /^Protocol error$/, help: 'Perhaps what answers there is no etcd, or the port is that of its peers' },
  { said: /^Failed to connect$/, help: 'Perhaps it hangs, or speaks with TLS alone: tls=true, https:// in --etcd-servers' },
  { said: /^no answer |^etcdserver: (?:request timed out|no leader)|^context deadline exceeded$/, help: 'Perhaps too few of its members run: it answers while more than half of them do' },
];

const OBSTACLE_CODES: readonly (status | undefined)[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.UNKNOWN];

/** The codes by which etcd ends a watch, as Go names them, where something can be done. */
const NAMED_CODES: Readonly<Record<string, status>> = { PermissionDenied: status.PERMISSION_DENIED, Unauthenticated: status.UNAUTHENTICATED };

/** Classifies the error of a failed call. */
export function callFailureOf(error: unknown): CallFailure {
  if (error instanceof ForeignMember) return 'member';
  const { code, details = '' } = error as Partial<ServiceError>;
  if (code === status.OUT_OF_RANGE) return details.includes('compacted') ? 'compacted' : 'future';
  if (code === status.NOT_FOUND && details.includes('lease')) return 'no-lease';
  return MEMBER_CODES.includes(code) || details === LATE_THERE ? 'member' : 'final';
}

/** The error of a write that was sent: a `StorageFailure` that says so if it may have been done, otherwise the same error. */
export function sentFailureOf(error: unknown, what: string): unknown {
  if (error instanceof StorageFailure || REFUSALS.includes((error as Partial<ServiceError>).code)) return error;
  return unconfirmedFailure(failureOf(error, what));
}

/** The `StorageFailure` for the error of a call; the message says what to do, where something can be done. */
export function failureOf(error: unknown, what: string): StorageFailure {
  if (error instanceof StorageFailure) return error;
  const { code, details = failureText(error) } = error as Partial<ServiceError>;
  const message = details.replace(FRAME, '$1').replace(OPENSSL_FRAME, '$1').replace(LATE, lateness);
  return new StorageFailure(kindOf(error, message), `etcd: ${what}: ${message}${adviceOn(code, message, FRAME.test(details))}`, { cause: error });
}

/** The `StorageFailure` for the reason that etcd gives where it ends a watch: the text of a call's error, with the name of its code. */
export function refusalOf(reason: string): StorageFailure {
  const [, name = '', details = reason] = /^rpc error: code = (\w+) desc = (.*)$/s.exec(reason) ?? [];
  return failureOf({ code: NAMED_CODES[name], details }, 'cannot follow changes');
}

const lateness = (_: string, within: string, member?: string): string => `no answer${member === undefined ? '' : ` of ${member}`} within ${within}`;

function kindOf(error: unknown, message: string): StorageFailureCode {
  if ((error as Partial<ServiceError>).code === status.DATA_LOSS) return 'corrupt';
  if (message.includes(NO_SPACE)) return 'full';
  return TOO_LARGE.test(message) ? 'tooLarge' : 'unavailable';
}

function adviceOn(code: status | undefined, message: string, isConnecting: boolean): string {
  if (message.includes(NO_SPACE)) return '. Compact and defragment it, or raise --quota-backend-bytes, and disarm its alarm';
  if (TOO_LARGE.test(message)) return '. Raise --max-request-bytes of etcd to store objects of this size';
  if (code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED) return '. The client certificate needs a role that may read and write all keys';
  if (message.includes(NO_USER)) return '. The certificate of a client says who it is: certfile and keyfile, --etcd-certfile and --etcd-keyfile';
  if (code === status.UNIMPLEMENTED) return '. Perhaps what answers there is no etcd';
  const obstacle = OBSTACLE_CODES.includes(code) ? OBSTACLES.find(({ said, toConnecting }) => said.test(message) && (toConnecting === undefined || isConnecting)) : undefined;
  return obstacle === undefined ? '' : `. ${obstacle.help}`;
}
