import { badRequest } from '#errors';
import type { SelfSubjectRulesReview } from '#kinds';
import type { AccessRule, AccessRules } from '#request';
import type { VerbHandler } from '../verb-context.ts';
import { answerReview, readReview } from './review.ts';

/** What the caller may do in a namespace, as far as the authorizer can list it. Throws `BadRequest` without a namespace. @spec 2.14 */
export const rulesReview: VerbHandler = async (context) => {
  const review = (await readReview(context)) as SelfSubjectRulesReview;
  const { request, env } = context;
  const { namespace = '' } = review.spec;
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, isIncomplete, failure } = env.authorizer.rulesOf?.(request.user, namespace) ?? UNLISTED;
  const listed = rules.map(copied);
  // Nothing of the question comes back but what it is.
  review.metadata = {};
  review.spec = {};
  review.status = {
    resourceRules: listed.filter((rule) => !isAboutPaths(rule)),
    nonResourceRules: listed.filter(isAboutPaths),
    incomplete: isIncomplete,
    ...(failure === undefined ? {} : { evaluationError: failure }),
  };
  return answerReview(context, review);
};

const UNLISTED: AccessRules = { rules: [], isIncomplete: true };

/** The answer gets lists of its own; those of the policy are shared. */
const copied = (rule: AccessRule): Copied => structuredClone(rule) as Copied;

type Copied = { -readonly [Member in keyof AccessRule]: string[] };

const isAboutPaths = ({ nonResourceURLs = [] }: Copied): boolean => nonResourceURLs.length > 0;
