import { APIGroup, APIGroupList, APIResourceList, APIVersions, type Catalog } from '#api';
import { t, type MessageType } from '#schema';
import { coreVersionsDocument, groupDocument, groupListDocument, servedGroups, type PlacedVersion, type ServedGroup } from './groups.ts';
import { resourceListDocument, type ResourceList } from './resources.ts';
import { versionInfo } from './version.ts';

/** One document, and its protobuf form. Without `protobuf` it is JSON only. */
export interface Document {
  readonly value: object;
  readonly protobuf?: { readonly type: MessageType; readonly value?: object };
  /** Whether only GET reaches it, and only where the `Accept` header names its media type; other documents take any method. */
  readonly isRouted: boolean;
  /** Depends on the request: not to be cached. */
  readonly isPerCaller?: true;
}

/** Verbs are a message in protobuf. */
class Verbs extends t.message('apis/meta/v1.Verbs', { items: t.strings(1) }) {}
class WireResource extends t.message('apis/meta/v1.APIResource', {
  name: t.string(1),
  namespaced: t.bool(2),
  kind: t.string(3),
  verbs: t.one(4, Verbs),
  shortNames: t.strings(5),
  singularName: t.string(6),
  categories: t.strings(7),
  group: t.string(8),
  version: t.string(9),
  storageVersionHash: t.string(10),
}) {}
class WireResourceList extends t.message(APIResourceList.type.name, { groupVersion: t.string(1), resources: t.many(2, WireResource) }) {}

/** Builds a document, which may depend on the address of the request. */
export type MakeDocument = (serverAddress: string) => Document;

type Add = (path: string, document: MakeDocument) => void;

/** Builders of documents by path, without trailing slash. `/` lists `otherPaths` as well. `placed`: priorities of groups. */
export function buildDocuments(catalog: Catalog, otherPaths: readonly string[], placed: readonly PlacedVersion[]): ReadonlyMap<string, MakeDocument> {
  const groups = servedGroups(catalog, placed);
  const documents = new Map<string, MakeDocument>();
  const add: Add = (path, document) => void documents.set(path, document);
  add('/version', () => ({ value: versionInfo, isRouted: true }));
  add('/api', (serverAddress) => ({
    value: coreVersionsDocument(groups, serverAddress),
    protobuf: { type: APIVersions.type },
    isRouted: true,
    isPerCaller: true,
  }));
  add('/apis', () => ({ value: groupListDocument(groups), protobuf: { type: APIGroupList.type }, isRouted: false }));
  for (const group of groups) addGroup(catalog, group, add);
  const paths = [...documents.keys(), '/apis/', ...otherPaths].sort();
  add('/', () => ({ value: { paths }, isRouted: false }));
  return documents;
}

function addGroup(catalog: Catalog, group: ServedGroup, add: Add): void {
  const root = group.name === '' ? '/api' : `/apis/${group.name}`;
  if (group.name !== '') add(root, () => ({ value: groupDocument(group), protobuf: { type: APIGroup.type }, isRouted: false }));
  // Discovery of custom resources is not routed like the paths of the API, as in kube-apiserver.
  const isRouted = catalog.isBuiltIn(group.name);
  for (const version of group.versions) {
    add(`${root}/${version}`, () => {
      const value = resourceListDocument(catalog, group.name, version);
      return { value, protobuf: { type: WireResourceList.type, value: toWire(value) }, isRouted };
    });
  }
}

function toWire(list: ResourceList): object {
  return { apiVersion: '', ...list, resources: list.resources.map((resource) => ({ ...resource, verbs: { items: resource.verbs } })) };
}
