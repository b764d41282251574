import { isJsonObject, isTexts } from '#base';
import type { AccessRules, Answer, Authenticator, Authorizer, Identity } from '#request';
import { runOwn, runOwnAtOnce } from '../run-own.ts';

/** An authenticator of the embedding program. One that answers in another form than `Identity` fails the request and is named: nobody comes in by it. */
export function ownAuthenticator(method: Authenticator, at: number): Authenticator {
  const part = method.name ? `authenticator ${JSON.stringify(method.name)}` : `authentication.authenticators[${at}]`;
  return { name: method.name, authenticate: (request) => runOwn(part, () => method.authenticate(request), identityOf) };
}

/** An authorizer of the embedding program. One that answers in another form than `Answer` fails the request and is named: it allows nothing. */
export function ownAuthorizer(authorizer: Authorizer, at: number): Authorizer {
  const part = `authorization.authorizers[${at}]`;
  const { rulesOf } = authorizer;
  return {
    authorize: (question, signal) => runOwn(part, () => authorizer.authorize(question, signal), answerOf),
    ...(rulesOf === undefined ? {} : { rulesOf: (user, namespace) => runOwnAtOnce(`rulesOf of ${part}`, () => rulesOf.call(authorizer, user, namespace), rulesIn) }),
  };
}

const IDENTITY = 'an authenticator answers { user: { name, groups } }, or undefined where the credentials are none of its own';

function identityOf(said: Identity | null | undefined): Identity | undefined {
  if (said === undefined || said === null) return undefined;
  const fault = faultOfUser((said as Partial<Identity>).user);
  if (fault !== undefined) throw new Error(`${fault}: ${IDENTITY}`);
  if (said.audiences !== undefined && !isTexts(said.audiences)) throw new Error(`audiences is no list of texts: ${IDENTITY}`);
  return said;
}

/** Programs in plain JavaScript may answer anything. */
function faultOfUser(user: unknown): string | undefined {
  if (!isJsonObject(user)) return 'user is no object';
  const { name, groups, uid, extra } = user;
  if (typeof name !== 'string' || name === '') return 'user.name is no text, or an empty one';
  if (!isTexts(groups)) return 'user.groups is no list of texts';
  if (uid !== undefined && typeof uid !== 'string') return 'user.uid is no text';
  if (extra !== undefined && !(isJsonObject(extra) && Object.values(extra).every(isTexts))) return 'user.extra is no object with lists of texts';
  return undefined;
}

const VERDICTS: readonly unknown[] = ['allow', 'deny', 'noOpinion'] satisfies readonly Answer['verdict'][];

function answerOf(said: Answer | null | undefined): Answer {
  if (!isJsonObject(said) || !VERDICTS.includes(said.verdict)) throw new Error(`an authorizer answers { verdict, reason }, where verdict is one of ${VERDICTS.join(', ')}`);
  // Without a reason clients would read "undefined".
  return (said.reason as string | undefined) === undefined ? { ...said, reason: '' } : said;
}

function rulesIn(said: AccessRules | null | undefined): AccessRules {
  // Programs say so, too, that they cannot list them.
  if (said === undefined || said === null) return { rules: [], isIncomplete: true };
  if (!isJsonObject(said) || !Array.isArray(said.rules) || !said.rules.every((rule) => isJsonObject(rule) && isTexts(rule['verbs']))) {
    throw new Error('rulesOf of an authorizer answers { rules, isIncomplete }, where each rule has a list of verbs');
  }
  return said;
}
