import { APIGroup, APIGroupList, APIResourceList, APIVersions, type Catalog } from '#api';
import { t, type MessageType } from '#schema';
import { coreVersionsDocument, groupDocument, groupListDocument, servedGroups, type PlacedVersion, type ServedGroup } from './groups.ts';
import { resourceListDocument, type ApiResource } from './resources.ts';
import { versionInfo } from './version.ts';

/** One document: its text form, and what protobuf makes of it. Without `protobuf` it is JSON only. */
export interface Document {
  readonly value: object;
  readonly protobuf?: { readonly type: MessageType; readonly value?: object };
  /** Only GET reaches it, and who accepts it by name; the others take any method. */
  readonly isRouted: boolean;
  /** Not the same for every caller: not to be kept. */
  readonly isPerCaller?: true;
}

/** Verbs are a message of their own on the wire. */
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

/** Makes a document. What it says may depend on the address the caller used. */
export type MakeDocument = (serverAddress: string) => Document;

type Add = (path: string, document: MakeDocument) => void;

/** Paths of documents and how to make them. Paths have no slash at the end. `otherPaths` are listed by `/`. `placed`: where groups stand. */
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
  // What is defined at run time is served beside the paths of the API.
  const isRouted = catalog.isBuiltIn(group.name);
  for (const version of group.versions) {
    add(`${root}/${version}`, () => {
      const value = resourceListDocument(catalog, group.name, version);
      return { value, protobuf: { type: WireResourceList.type, value: toWire(value) }, isRouted };
    });
  }
}

function toWire(list: object): object {
  const { resources } = list as { readonly resources: readonly ApiResource[] };
  return { apiVersion: '', ...list, resources: resources.map((resource) => ({ ...resource, verbs: { items: resource.verbs } })) };
}
