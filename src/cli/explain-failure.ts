import { failureText } from '#base';
import { ApiError, type Reason } from '#errors';
import { TransportFailure, type TransportFailureCode } from '#transport';
import { paint, type Terminal } from './terminal.ts';
import { visibleLines } from './visible.ts';

/** Advice for transport failures. */
const ADVICE: Readonly<Partial<Record<TransportFailureCode, string>>> = {
  refused: 'no server answers there. Start one with: orch serve',
  untrusted: 'the kubeconfig may be that of another server or of an earlier data folder: give the right one with --kubeconfig',
};

/** Advice for error responses. */
const REASON_ADVICE: Readonly<Partial<Record<Reason, string>>> = {
  Unauthorized: 'the server does not know these credentials: give the kubeconfig it wrote when it started with --kubeconfig',
  Conflict: 'the object was changed meanwhile, or others own these fields: look at it again; orch apply --force-conflicts takes fields over',
  AlreadyExists: 'orch apply changes objects that exist',
  UnsupportedMediaType: 'the server does not understand this kind of request: is it a server of this API?',
};

/** How a refusal by authorization begins. One by admission, as of a quota, is the same for every user, and says itself what is in the way. */
const REFUSED_USER = /: User "(?:[^"\\]|\\.)*" cannot /;
const REFUSED_USER_ADVICE = 'this user may not do that: give the kubeconfig of another user with --kubeconfig';

/** Tells the user of a failure. */
export const tellFailure = ({ err, hasColour }: Terminal, cause: unknown): void => err(`${paint('orch:', 'red', hasColour.err)} ${explainFailure(cause)}\n`);

/** A failure as a message for the user. */
export const explainFailure = (cause: unknown): string => visibleLines(explain(cause));

function explain(cause: unknown): string {
  if (cause instanceof ApiError) {
    return lines(`the server answered ${cause.code}${cause.reason === '' ? '' : ` ${cause.reason}`}: ${cause.message}`, adviceOf(cause));
  }
  if (cause instanceof TransportFailure) return lines(cause.message, ADVICE[cause.code]);
  return failureText(cause);
}

function adviceOf({ reason, message }: ApiError): string | undefined {
  if (reason === 'Forbidden') return REFUSED_USER.test(message) ? REFUSED_USER_ADVICE : undefined;
  return reason === '' ? undefined : REASON_ADVICE[reason];
}

const lines = (message: string, advice: string | undefined): string => (advice === undefined ? message : `${message}\n  ${advice}`);
