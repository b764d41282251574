import type { TokenQuestion } from '#request';

/** Tells why a token is not accepted. Returns what a refusal is: nobody. */
export function refused(question: TokenQuestion, why: string): undefined {
  question.refuse?.(why);
  return undefined;
}
