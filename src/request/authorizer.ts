import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** The attributes that an authorizer decides on. */
export interface Question extends RequestInfo {
  readonly user: User;
}

/** The decision of an authorizer. */
export interface Answer {
  readonly verdict: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** Why the authorizer could not decide (an error); absent: it could. Shown to clients. */
  readonly failure?: string;
}

/** Decides whether requests are allowed. Where it fails it returns `noOpinion`, with the reason in `failure`. */
export interface Authorizer {
  authorize(question: Question, signal: AbortSignal): Promise<Answer> | Answer;
  /** The rules of a user in a namespace; absent where an authorizer cannot list them. */
  rulesOf?(user: User, namespace: string): AccessRules;
}

/** One rule: verbs on resources, or verbs on non-resource paths. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The rules of a user, as far as they can be listed. */
export interface AccessRules {
  readonly rules: readonly AccessRule[];
  /** The user may have further permissions that are not listed. */
  readonly isIncomplete: boolean;
  /** What went wrong while the rules were listed. Shown to clients. */
  readonly failure?: string;
}
