import { inOneMessage } from '#errors';
import { isPromised } from '#base';
import type { Answer, Authorizer } from '#request';

/**
 * Asks modules in order: the first that allows or denies decides; without one the answer is no opinion, with the reasons and failures of all.
 * @spec 5.1
 */
export function union(modules: readonly Authorizer[]): Authorizer {
  return {
    async authorize(question, signal) {
      const reasons: string[] = [];
      let failures: string[] | undefined;
      for (const module of modules) {
        const said = module.authorize(question, signal);
        // Most modules answer synchronously: an `await` would cost more than the decision.
        const answer: Answer = isPromised(said) ? await said : said;
        if (answer.verdict !== 'noOpinion') return answer;
        if (answer.failure !== undefined) (failures ??= []).push(answer.failure);
        if (answer.reason !== '') reasons.push(answer.reason);
      }
      return { verdict: 'noOpinion', reason: reasons.join('\n'), ...failureOf(failures) };
    },
    rulesOf(user, namespace) {
      const listed = modules.map((module) => module.rulesOf?.(user, namespace));
      return {
        rules: listed.flatMap((one) => one?.rules ?? []),
        isIncomplete: listed.some((one) => one === undefined || one.isIncomplete),
        ...failureOf(listed.flatMap((one) => one?.failure ?? [])),
      };
    },
  };
}

const failureOf = (failures: readonly string[] = []): { readonly failure?: string } =>
  failures.length === 0 ? {} : { failure: inOneMessage(failures) };
