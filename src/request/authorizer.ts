import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** What the caller wants to do. */
export interface Question extends RequestInfo {
  readonly user: User;
}

export interface Answer {
  readonly verdict: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** Why it could not be found out; absent: it was. Callers read it. */
  readonly failure?: string;
}

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

export interface AccessRules {
  readonly rules: readonly AccessRule[];
  /** There may be more that is allowed. */
  readonly isIncomplete: boolean;
  /** Why there is not all of it; callers read it. */
  readonly failure?: string;
}
