/** What a node may do with objects of one resource, beside the rules for all nodes. The first violated condition is the reason of a refusal. */
export interface NodeRule {
  readonly verbs: readonly string[];
  readonly otherVerb: string;
  /** The only subresource that is allowed: empty for the object itself, a star for all. */
  readonly subresource: string;
  readonly otherSubresource: string;
  /** `related`: objects that pods of the node use. `own`: objects with the node's name; for a create the name is checked by admission. */
  readonly which: 'related' | 'own';
  /** The reason for objects with another name, where `which` is `own`. */
  readonly otherName?: string;
  /** Present where the request needs a namespace: the reason if it has none. */
  readonly noNamespace?: string;
  readonly isInLeaseNamespace?: true;
}

const GET = { verbs: ['get'], otherVerb: 'can only get individual resources of this type', subresource: '', otherSubresource: 'cannot get subresource', which: 'related' } as const;
const READ = {
  verbs: ['get', 'list', 'watch'],
  otherVerb: 'can only read resources of this type',
  subresource: '',
  otherSubresource: 'cannot read subresource',
  which: 'related',
  noNamespace: 'can only read namespaced object of this type',
} as const;
const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete'] as const;

/** By neutral group, resource and, where a subresource has a rule of its own, the subresource, joined by slashes. */
export const NODE_RULES: Readonly<Record<string, NodeRule | undefined>> = {
  '/secrets': READ,
  '/configmaps': READ,
  '/persistentvolumeclaims': GET,
  '/persistentvolumeclaims/status': {
    verbs: ['update', 'patch'],
    otherVerb: 'can only get/update/patch this type',
    subresource: 'status',
    otherSubresource: 'can only update status subresource',
    which: 'related',
  },
  '/persistentvolumes': GET,
  'storage/volumeattachments': GET,
  '/serviceaccounts': {
    verbs: ['create'],
    otherVerb: 'can only create tokens for individual service accounts',
    subresource: 'token',
    otherSubresource: 'can only create token subresource of serviceaccount',
    which: 'related',
  },
  'coordination/leases': {
    verbs: OWN_VERBS,
    otherVerb: 'can only get, create, update, patch, or delete a node lease',
    subresource: '*',
    otherSubresource: '',
    which: 'own',
    otherName: 'can only access node lease with the same name as the requesting node',
    isInLeaseNamespace: true,
  },
  'storage/csinodes': {
    verbs: OWN_VERBS,
    otherVerb: 'can only get, create, update, patch, or delete a CSINode',
    subresource: '',
    otherSubresource: 'cannot authorize CSINode subresources',
    which: 'own',
    otherName: 'can only access CSINode with the same name as the requesting node',
  },
};
