import { GenerationCache } from '#base';
import type { Answer, Question } from '#request';

/** Whatever a rule or a subject can speak about. */
type Asked = Pick<Question, 'isResourceRequest' | 'verb' | 'path' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>;

interface Kept {
  readonly asked: Asked;
  readonly user: string;
  readonly groups: readonly string[];
  readonly answer: Answer;
  readonly weight: number;
}

/** Characters; those who ask choose how long their questions are. */
const MAX_WEIGHT = 4 * 1024 * 1024;
const MAX_WEIGHT_OF_ONE = 8 * 1024;
/** What an entry takes beside its texts. */
const WEIGHT_OF_ENTRY = 256;

const emptyCache = (): GenerationCache<string, Kept> => new GenerationCache(MAX_WEIGHT, ({ weight }) => weight);

/** What was decided since the policy last changed. A question is found by some of its parts and believed only where all are the same. */
export class Decisions {
  #kept = emptyCache();
  #revision = 0;

  /** The answer to this question under this revision of the policy, from `decide` where it is not known yet. */
  remember(question: Question, revision: number, decide: () => Answer): Answer {
    if (revision !== this.#revision) this.#forget(revision);
    const key = placeOf(question);
    const kept = this.#kept.get(key);
    if (kept !== undefined && isSame(kept, question)) return kept.answer;
    const answer = decide();
    const weight = weightOf(key, question);
    if (weight <= MAX_WEIGHT_OF_ONE) this.#kept.set(key, keptOf(question, answer, weight));
    return answer;
  }

  #forget(revision: number): void {
    this.#kept = emptyCache();
    this.#revision = revision;
  }
}

/** Two questions may share a place; they only push each other out. */
const placeOf = ({ user, verb, isResourceRequest, path, resource, subresource, namespace, name }: Question): string =>
  isResourceRequest ? `${user.name} ${verb} ${resource} ${subresource} ${namespace} ${name}` : `${user.name} ${verb} ${path}`;

function weightOf(key: string, { path, group, user: { groups } }: Question): number {
  return groups.reduce((sum, text) => sum + text.length, WEIGHT_OF_ENTRY + 2 * key.length + path.length + group.length);
}

/** Without what else comes with a question, which may be much. */
function keptOf({ isResourceRequest, verb, path, group, resource, subresource, namespace, name, user }: Question, answer: Answer, weight: number): Kept {
  const asked = { isResourceRequest, verb, path: isResourceRequest ? '' : path, group, resource, subresource, namespace, name };
  return { asked, user: user.name, groups: user.groups, answer, weight };
}

const isSame = ({ asked, user, groups }: Kept, question: Question): boolean =>
  user === question.user.name &&
  asked.verb === question.verb &&
  asked.isResourceRequest === question.isResourceRequest &&
  (asked.isResourceRequest ? isSameResource(asked, question) : asked.path === question.path) &&
  isSameList(groups, question.user.groups);

const isSameResource = (one: Asked, other: Asked): boolean =>
  one.resource === other.resource &&
  one.group === other.group &&
  one.namespace === other.namespace &&
  one.name === other.name &&
  one.subresource === other.subresource;

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one === other || (one.length === other.length && one.every((text, at) => text === other[at]));
