import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** What the caller wants to do. */
export interface Question extends RequestInfo {
  readonly user: User;
}

/** What an authorizer says to a question. */
export interface Answer {
  readonly verdict: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** Why it could not be found out; absent: it was. Callers read it. */
  readonly failure?: string;
}

/** Decides whether requests are allowed. On what it cannot find out it has no opinion, and says why in `failure`. */
export interface Authorizer {
  authorize(question: Question, signal: AbortSignal): Promise<Answer> | Answer;
  /** What a user may do in a namespace; absent where that cannot be listed. */
  rulesOf?(user: User, namespace: string): AccessRules;
}

/** One thing that is allowed: verbs on resources, or verbs on paths. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What a user may do, as far as it can be listed. */
export interface AccessRules {
  readonly rules: readonly AccessRule[];
  /** There may be more that is allowed. */
  readonly isIncomplete: boolean;
  /** Why there is not all of it; callers read it. */
  readonly failure?: string;
}
