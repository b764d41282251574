import { internalError, notFound } from '#errors';
import { isOfNamespaces, type ApiObject, type Labels, type ObjectAccess } from '#api';
import type { AdmissionRequest } from '../plugin.ts';
import { isScaleOf, partOf } from './form.ts';
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

  /**
   * Whether both selectors match. Throws `NotFound` where the namespace does not exist, `InternalError` where it cannot be read, or where a selector
   * cannot be used and the other one does not exclude the request: whether the webhook guards it is not known then.
   */
  async match({ namespaceSelector, objectSelector }: Hook): Promise<boolean> {
    if (typeof objectSelector === 'function' && !this.#isSelected(objectSelector)) return false;
    const ofNamespace = this.#isInNamespace ? namespaceSelector : undefined;
    if (typeof ofNamespace === 'function' && !ofNamespace(await this.#labelsOfNamespace())) return false;
    const fault = [ofNamespace, objectSelector].find((one) => typeof one === 'string');
    if (fault !== undefined) throw internalError(fault);
    return true;
  }

  /** By the labels of the new object or of the old one, as webhooks are shown them. */
  #isSelected(selector: (labels: Labels) => boolean): boolean {
    const { operation, object, live, resource, subresource } = this.#request;
    // Options of a CONNECT request cannot carry labels.
    if (operation === 'CONNECT') return false;
    const carried = partOf(resource, subresource)?.carries;
    return [object, live].some((one) => one !== undefined && selector(isScaleOf(one, carried) ? NO_LABELS : labelsOf(one)));
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

/** A Scale has none, whatever the object has whose replicas it shows. */
const NO_LABELS: Labels = {};

const labelsOf = (object: ApiObject): Labels => object.metadata.labels ?? {};
