import { fitting, storageForm, VersionFailure, type VersionForm, type VersionForms } from '#apply';
import { objectTypeOf, type ApiObject, type OtherVersions, type ServedVersion } from '#api';
import { jsonText, type JsonObject } from '#base';
import type { MessageType } from '#schema';

/** Aborts `work` where it needs a conversion that is not available yet. */
class ConversionPending extends Error {
  readonly request: string;
  readonly converted: Promise<ApiObject>;

  constructor(question: string, answer: Promise<ApiObject>) {
    super('a conversion takes its time');
    this.request = question;
    this.converted = answer;
  }
}

const isHeadAlone = (object: JsonObject): boolean => Object.keys(object).every((member) => member === 'apiVersion' || member === 'kind');

/** The type of objects of a version. Throws `VersionFailure` where the kind has no such version (any more): fields owned in it cannot be resolved. */
export function typeOfVersion(versions: Pick<OtherVersions, 'typeOf'> | undefined, apiVersion: string): MessageType {
  const type = versions?.typeOf(apiVersion);
  if (type === undefined) throw new VersionFailure(`request to convert CR to an invalid group/version: ${apiVersion}`);
  return type;
}

/** Versions that a webhook converts. */
export type ConvertedVersions = Required<Pick<OtherVersions, 'typeOf' | 'convert'>>;

/**
 * Lets synchronous work use versions that a webhook converts: where a conversion is missing, the work is aborted, the webhook is called, and the work
 * starts again with its response. The "storage version" of these forms is the version of the request.
 */
export class AwaitedConversions {
  readonly #own: ServedVersion;
  readonly #others: ConvertedVersions;
  readonly #answers = new Map<string, ApiObject>();

  constructor(own: ServedVersion, others: ConvertedVersions) {
    this.#own = own;
    this.#others = others;
  }

  readonly #forms = (apiVersion: string): VersionForm => {
    const { apiVersion: own, schema } = this.#own;
    if (apiVersion === own) return storageForm(objectTypeOf(schema));
    const type = typeOfVersion(this.#others, apiVersion);
    return { type, losesResetFields: true, fromStorage: (object) => fitting(type, this.#convert(object, apiVersion)), toStorage: (object) => this.#convert(object, own) };
  };

  /** The result of `work`, which is run again from its beginning after each response of the webhook. Throws what `work` and the conversions throw. */
  run<T>(work: (forms: VersionForms) => T): T | Promise<T> {
    try {
      return work(this.#forms);
    } catch (cause) {
      if (!(cause instanceof ConversionPending)) throw cause;
      return cause.converted.then((answer) => {
        this.#answers.set(cause.request, answer);
        return this.run(work);
      });
    }
  }

  #convert(object: JsonObject, apiVersion: string): JsonObject {
    // An empty object is empty in every version; kube-apiserver does not ask the webhook either where nothing but the kind is left.
    if (object['kind'] === undefined) return object;
    if (isHeadAlone(object)) return { ...object, apiVersion };
    const question = `${apiVersion} ${jsonText(object)}`;
    const answer = this.#answers.get(question);
    if (answer === undefined) throw new ConversionPending(question, this.#others.convert(object as unknown as ApiObject, apiVersion));
    return answer as unknown as JsonObject;
  }
}
