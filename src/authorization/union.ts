import type { Answer, Authorizer } from '#request';

/** The first module that allows or denies decides; without an opinion the request is denied. @spec 5.1 */
export function union(modules: readonly Authorizer[]): Authorizer {
  return {
    async authorize(question, signal) {
      const reasons: string[] = [];
      for (const module of modules) {
        const said = module.authorize(question, signal);
        // Most answers are there at once: waiting for them costs more than finding them.
        const answer: Answer = said instanceof Promise ? await said : said;
        if (answer.verdict !== 'noOpinion') return answer;
        if (answer.reason !== '') reasons.push(answer.reason);
      }
      return { verdict: 'noOpinion', reason: reasons.join('\n') };
    },
    rulesOf(user, namespace) {
      const listed = modules.map((module) => module.rulesOf?.(user, namespace));
      return {
        rules: listed.flatMap((one) => one?.rules ?? []),
        isIncomplete: listed.some((one) => one === undefined || one.isIncomplete),
      };
    },
  };
}
