/**
 * What a request is about: parsed once from method, path and query, and read by all later stages.
 * @spec 4.1
 * @spec 4.2
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** For resources one of the request verbs; for other paths the method in lower case. */
  readonly verb: string;
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Decoded path segments from the resource on. */
  readonly parts: readonly string[];
}
