import { internalError, notFound } from '#errors';
import { isOfNamespaces, type ApiObject, type Labels, type ObjectAccess } from '#api';
import type { AdmissionRequest } from '../plugin.ts';
import type { Hook } from './hook.ts';

/** Matches one request against the namespaceSelector and objectSelector of webhooks. The labels of its namespace are read once, when first needed. */
export class SelectorMatch {
  readonly #objects: ObjectAccess;
  readonly #request: Readonly<AdmissionRequest>;
  #namespaceLabels: Promise<Labels> | undefined;

  constructor(objects: ObjectAccess, request: Readonly<AdmissionRequest>) {
    this.#objects = objects;
    this.#request = request;
  }

  /** Whether both selectors match. Throws `NotFound` where the namespace does not exist, `InternalError` where it cannot be read. */
  async match({ namespaceSelector, objectSelector }: Hook): Promise<boolean> {
    const { object, live } = this.#request;
    if (objectSelector !== undefined && !hasLabels(object, objectSelector) && !hasLabels(live, objectSelector)) return false;
    if (namespaceSelector === undefined || !this.#isInNamespace) return true;
    return namespaceSelector(await this.#labelsOfNamespace());
  }

  /** A namespaceSelector does not apply to cluster-scoped objects, except for namespaces themselves. */
  get #isInNamespace(): boolean {
    return this.#request.namespace !== '' || isOfNamespaces(this.#request.resource);
  }

  #labelsOfNamespace(): Labels | Promise<Labels> {
    const { resource, subresource, operation, object } = this.#request;
    const isWritten = isOfNamespaces(resource) && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
    // The namespace that is being written is newer than the stored one.
    return isWritten && object !== undefined ? labelsOf(object) : (this.#namespaceLabels ??= this.#readNamespace());
  }

  async #readNamespace(): Promise<Labels> {
    const { namespace } = this.#request;
    const found = await this.#objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name: namespace }).catch((cause: unknown) => {
      throw internalError(`the labels of namespace ${namespace} cannot be read`, cause);
    });
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    return labelsOf(found);
  }
}

/** Options and other bodies without metadata have no labels that could be selected. */
const hasLabels = (object: ApiObject | undefined, selector: (labels: Labels) => boolean): boolean =>
  object !== undefined && isLabelled(object) && selector(labelsOf(object));

const isLabelled = ({ metadata }: Partial<ApiObject>): boolean => metadata !== undefined && Object.keys(metadata).length > 0;

const labelsOf = (object: ApiObject): Labels => object.metadata.labels ?? {};
