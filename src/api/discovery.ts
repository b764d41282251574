/** What discovery answers with. Use `X.type` to encode them. @spec 4.1 */
import { t } from '#schema';

const typeMeta = { kind: t.string(0), apiVersion: t.string(0) } as const;

export class ServerAddressByClientCIDR extends t.message('apis/meta/v1.ServerAddressByClientCIDR', {
  clientCIDR: t.string(1).required(),
  serverAddress: t.string(2).required(),
}) {}

export class GroupVersionForDiscovery extends t.message('apis/meta/v1.GroupVersionForDiscovery', {
  groupVersion: t.string(1).required(),
  version: t.string(2).required(),
}) {}

export class APIGroup extends t.message('apis/meta/v1.APIGroup', {
  ...typeMeta,
  name: t.string(1).required(),
  versions: t.many(2, GroupVersionForDiscovery).required(),
  preferredVersion: t.one(3, GroupVersionForDiscovery),
  serverAddressByClientCIDRs: t.many(4, ServerAddressByClientCIDR),
}) {}

export class APIGroupList extends t.message('apis/meta/v1.APIGroupList', {
  ...typeMeta,
  groups: t.many(1, APIGroup).required(),
}) {}

export class APIVersions extends t.message('apis/meta/v1.APIVersions', {
  ...typeMeta,
  versions: t.strings(1).required(),
  serverAddressByClientCIDRs: t.many(2, ServerAddressByClientCIDR).required(),
}) {}

export class APIResource extends t.message('apis/meta/v1.APIResource', {
  name: t.string(1).required(),
  singularName: t.string(6).required(),
  namespaced: t.bool(2).required(),
  group: t.string(8),
  version: t.string(9),
  kind: t.string(3).required(),
  verbs: t.strings(4).required(),
  shortNames: t.strings(5),
  categories: t.strings(7),
  storageVersionHash: t.string(10),
}) {}

export class APIResourceList extends t.message('apis/meta/v1.APIResourceList', {
  ...typeMeta,
  groupVersion: t.string(1).required(),
  resources: t.many(2, APIResource).required(),
}) {}
