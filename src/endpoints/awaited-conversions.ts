import type { VersionForm } from '#apply';
import { objectTypeOf, type ApiObject, type OtherVersions, type ServedVersion } from '#api';
import type { JsonObject } from '#base';

const asItIs = (object: JsonObject): JsonObject => object;

/** Stops work that cannot go on without the answer. */
class AnswerNeeded extends Error {
  readonly question: string;
  readonly answer: Promise<ApiObject>;

  constructor(question: string, answer: Promise<ApiObject>) {
    super('a conversion takes its time');
    this.question = question;
    this.answer = answer;
  }
}

/**
 * The versions of a custom resource in the hands of work that cannot wait, while a webhook takes its time to convert. What their forms call storage is
 * the version of the request.
 */
export class AwaitedConversions {
  readonly #own: ServedVersion;
  readonly #others: OtherVersions;
  readonly #answers = new Map<string, ApiObject>();

  constructor(own: ServedVersion, others: OtherVersions) {
    this.#own = own;
    this.#others = others;
  }

  readonly forms = (apiVersion: string): VersionForm | undefined => {
    const { apiVersion: own, schema } = this.#own;
    if (apiVersion === own) return { type: objectTypeOf(schema), fromStorage: asItIs, toStorage: asItIs };
    const type = this.#others.typeOf(apiVersion);
    return type && { type, fromStorage: (object) => this.#convert(object, apiVersion), toStorage: (object) => this.#convert(object, own) };
  };

  /** Does the work that `cause` has stopped again, as often as answers stop it. */
  async goOn<T>(cause: unknown, work: (conversions: this) => T): Promise<T> {
    for (let stopped = cause; ; ) {
      if (!(stopped instanceof AnswerNeeded)) throw stopped;
      this.#answers.set(stopped.question, await stopped.answer);
      try {
        return work(this);
      } catch (next) {
        stopped = next;
      }
    }
  }

  #convert(object: JsonObject, apiVersion: string): JsonObject {
    // Nothing is nothing in every version.
    if (object['kind'] === undefined) return object;
    const question = `${apiVersion} ${JSON.stringify(object)}`;
    const answer = this.#answers.get(question);
    if (answer === undefined) throw new AnswerNeeded(question, this.#others.convert(object as unknown as ApiObject, apiVersion));
    return answer as unknown as JsonObject;
  }
}
