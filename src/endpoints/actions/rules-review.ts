import { cloneJson } from '#base';
import { badRequest } from '#errors';
import type { ApiObject } from '#api';
import type { SelfSubjectRulesReview } from '#kinds';
import type { AccessRule, AccessRules } from '#request';
import type { VerbHandler } from '../verb-context.ts';
import { answerReview, readReview } from './review.ts';

/** Lists what the user may do in a namespace, as far as the authorizer can list it. Throws `BadRequest` without a namespace. @spec 2.14 */
export const rulesReview: VerbHandler = async (context) => {
  const review = (await readReview(context)) as SelfSubjectRulesReview;
  const { request, env } = context;
  const { namespace = '' } = review.spec;
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, isIncomplete, failure } = env.authorizer.rulesOf?.(request.user, namespace) ?? UNLISTED;
  const listed = rules.map(copied);
  // The response does not repeat the spec.
  const status = {
    resourceRules: listed.filter((rule) => !isAboutPaths(rule)),
    nonResourceRules: listed.filter(isAboutPaths),
    incomplete: isIncomplete,
    ...(failure === undefined ? {} : { evaluationError: failure }),
  };
  const { kind, apiVersion } = review;
  return answerReview(context, { kind, apiVersion, metadata: { creationTimestamp: null }, spec: {}, status } as unknown as ApiObject);
};

const UNLISTED: AccessRules = { rules: [], isIncomplete: true };

/** The response gets lists of its own; those of the policy are shared. */
const copied = (rule: AccessRule): Copied => cloneJson(rule) as Copied;

type Copied = { -readonly [Member in keyof AccessRule]: string[] };

const isAboutPaths = ({ nonResourceURLs = [] }: Copied): boolean => nonResourceURLs.length > 0;
