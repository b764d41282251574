import { GenerationCache } from '#base';
import type { Answer, Question } from '#request';

/** The attributes of a request that rules depend on. */
type Asked = Pick<Question, 'isResourceRequest' | 'verb' | 'path' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>;

interface Kept {
  readonly asked: Asked;
  readonly user: string;
  readonly groups: readonly string[];
  readonly answer: Answer;
  readonly weight: number;
}

/** In characters: clients decide how long the attributes of their requests are, and a reason lists every missing role. */
const MAX_WEIGHT = 4 * 1024 * 1024;
const MAX_WEIGHT_OF_ONE = 8 * 1024;
/** Overhead of an entry beside its strings. */
const WEIGHT_OF_ENTRY = 256;
/** Overhead of a group beside its name: a review may ask about somebody in a million groups without a name. */
const WEIGHT_OF_GROUP = 8;

const emptyCache = (): GenerationCache<string, Kept> => new GenerationCache(MAX_WEIGHT, ({ weight }) => weight);

/** Caches decisions until the policy changes. The key of an entry has only some attributes of a question; a hit requires all of them to be equal. */
export class Decisions {
  #kept = emptyCache();
  #revision = 0;

  /** The cached answer for this question at this revision of the policy, or that of `decide`. */
  remember(question: Question, revision: number, decide: () => Answer): Answer {
    if (revision !== this.#revision) this.#forget(revision);
    const key = placeOf(question);
    const kept = this.#kept.get(key);
    if (kept !== undefined && isSame(kept, question)) return kept.answer;
    const answer = decide();
    const weight = weightOf(key, question) + answer.reason.length;
    if (weight <= MAX_WEIGHT_OF_ONE) this.#kept.set(key, keptOf(question, answer, weight));
    return answer;
  }

  #forget(revision: number): void {
    this.#kept = emptyCache();
    this.#revision = revision;
  }
}

/** The cache key. Different questions may collide; they only evict each other. */
const placeOf = ({ user, verb, isResourceRequest, path, resource, subresource, namespace, name }: Question): string =>
  isResourceRequest ? `${user.name} ${verb} ${resource} ${subresource} ${namespace} ${name}` : `${user.name} ${verb} ${path}`;

function weightOf(key: string, { path, group, user: { groups } }: Question): number {
  return groups.reduce((sum, text) => sum + WEIGHT_OF_GROUP + text.length, WEIGHT_OF_ENTRY + 2 * key.length + path.length + group.length);
}

/** Copies only the attributes that matter: a question may hold much more. */
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
