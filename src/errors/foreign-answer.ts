import { goQuoted } from './go-value.ts';
import type { Reason } from './reasons.table.ts';

/** What the status of another server's answer says of a request, as clients of the API know it. */
interface Meaning {
  readonly reason: Reason;
  readonly words: string;
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: { reason: 'BadRequest', words: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', words: 'the server has asked for the client to provide credentials' },
  404: { reason: 'NotFound', words: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', words: 'the server does not allow this method on the requested resource' },
  409: { reason: 'Conflict', words: 'the server reported a conflict' },
  422: { reason: 'Invalid', words: 'the server rejected our request due to an error in our request' },
  429: { reason: 'TooManyRequests', words: 'the server has received too many requests and has asked us to try again later' },
  503: { reason: 'ServiceUnavailable', words: 'the server is currently unable to handle the request' },
  504: { reason: 'Timeout', words: 'the server was unable to return a response in the time allotted, but may still be processing the request' },
};

/** Of these, the words are those of the other server. */
const IN_OWN_WORDS: Readonly<Record<number, Reason>> = { 403: 'Forbidden', 406: 'NotAcceptable', 415: 'UnsupportedMediaType' };

export interface ForeignAnswer {
  readonly reason: Reason | '';
  readonly message: string;
  /** Whether the message is `text` itself, unquoted. */
  readonly isInOwnWords: boolean;
}

/** The meaning of an answer of another server that is no success; `text` is its body. */
export function foreignAnswer(status: number, text: string): ForeignAnswer {
  const known = MEANINGS[status];
  if (known !== undefined) return { reason: known.reason, message: known.words, isInOwnWords: false };
  const own = IN_OWN_WORDS[status];
  if (own !== undefined) return { reason: own, message: text, isInOwnWords: true };
  if (status < 500) return { reason: '', message: `the server responded with the status code ${status} but did not return more information`, isInOwnWords: false };
  return { reason: 'InternalError', message: `an error on the server (${goQuoted(text)}) has prevented the request from succeeding`, isInOwnWords: false };
}
