import type { Cause, FieldErrors } from '#errors';
import type { ListMerge, MessageClass, MessageType } from '#schema';
import type { KindName } from './access.ts';
import type { Brand, WellKnownName } from './brand.ts';
import type { ApiObject } from './object.ts';
import type { ObjectMeta } from './object-meta.ts';

/** @spec 4.2 */
export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Alphabetical, as discovery lists them. */
export const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** One served version of a kind. `up` and `down` convert to and from the storage version, in place on the caller's own copy, and never fail. */
export interface Version {
  readonly schema: MessageClass<unknown>;
  readonly up?: (object: ApiObject, brand: Brand) => ApiObject;
  readonly down?: (object: ApiObject, brand: Brand) => ApiObject;
  /** Declared, and perhaps stored, but not served. */
  readonly isOff?: boolean;
  /** Every request through this version is told that it will go. */
  readonly deprecated?: Deprecation;
  /** Every request through this version is told so. */
  readonly warning?: string;
  /** Where this version treats what a deleted object owns otherwise than the kind does. */
  readonly cascade?: Cascade;
  /** How the items of a list are told apart, where OpenAPI publishes it. */
  readonly itemsMerge?: ListMerge;
}

/** A version that is served no longer, and in which objects may still be stored. `up` brings them to the storage version, as that of `Version` does. */
export type RetiredVersion = Pick<Version, 'schema' | 'up'>;

/** How objects are completed that were stored before a member was there. */
export interface Grown<T> {
  /** Objects with a member of this name, at whatever place, are complete. */
  readonly member: string;
  /** Changes the object. `families`: of the addresses that services can have, the default first. */
  fill(object: T, families: readonly string[]): void;
}

/** Releases, as `1.21`. */
export interface Deprecation {
  readonly since: string;
  /** Absent: nobody has said. */
  readonly goneIn?: string;
  /** The version that replaces it. */
  readonly use?: string;
}

/** A part of an object with a path of its own. */
export interface Subresource {
  readonly verbs: readonly Verb[];
  /** What writes here may change, as member names of the object; the main resource may not change them. */
  readonly writes?: readonly string[];
  /** A new object may bring what is written here, too. */
  readonly isKeptOnCreate?: boolean;
  /** Writes here leave labels, annotations, finalizers and owners alone; most kinds take them. */
  readonly keepsMetadata?: boolean;
  /** Members that writes here do not own although they send them, because the kind does not take them from here: `metadata.labels`, … */
  readonly unowned?: readonly string[];
  /** How often writes here are held to the rules of metadata again, where it is not once, for the change. See the member of the kind. */
  readonly repeatsMetadataRules?: readonly ('change' | 'content')[];
  /** Kind and version its requests carry, where that is not the object itself. */
  readonly carries?: Carried;
  /** An imperative subresource is handled by the action of this name in `endpoints/actions`. */
  readonly action?: string;
  /** Leads to something behind the API, which answers; what it `carries` is read from the query. */
  readonly connects?: Connects;
  /** What can be said in the query of such a part. */
  readonly query?: MessageClass<unknown>;
  /** How many replicas an object has, for kinds that say it at places of their own choice. */
  readonly scaling?: Scaling;
  /** What a read of this part says is not there when the object is not, by neutral group and resource. Default: the object. */
  readonly missing?: { readonly group: string; readonly resource: string };
}

/** What a request is connected to: a container, its log, a port of a pod, or whatever speaks HTTP there. */
export type Connects = 'attach' | 'exec' | 'log' | 'portforward' | 'proxy';

/** Where an object says how often it is to be there, and how often it is. */
export interface Scaling {
  /** Where the replicas stand, as clients are told. */
  readonly path: string;
  /** Without `replicas` where the object does not say. Throws `InternalError` where it says something else. */
  read(object: ApiObject): { readonly replicas: number | undefined; readonly statusReplicas: number; readonly selector: string };
  /** Changes `object`. Throws `InternalError` where there is no place for it. */
  write(object: ApiObject, replicas: number): void;
}

/** A body that travels to or from a subresource. The group is in neutral form. */
export interface Carried {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** What it looks like. */
  readonly schema?: MessageClass<unknown>;
  /** Other versions of the same looks that a body may say it is of. */
  readonly alsoVersions?: readonly string[];
}

/** A column of the Table form. @spec 2.5 */
export interface Column<T = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown only on demand (`-o wide`). */
  readonly priority?: number;
  /** `nowMs` is for ages. */
  cell(object: T, nowMs: number): string | number | bigint | boolean | null;
}

/** Who writes. */
export interface HookUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Something signed, as certificate requests are: parts in DER. */
export interface Signed {
  readonly content: Uint8Array;
  /** With its algorithm, as certificates hold it (SubjectPublicKeyInfo). */
  readonly publicKey: Uint8Array;
  /** Of the signature: its object identifier in hex. */
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

/** What a hook is told beside the objects. */
export interface HookContext {
  /** Absent where the server writes on its own account. */
  readonly user?: HookUser;
  /** The version that the request came through; absent where the server writes on its own account. */
  readonly version?: string;
  readonly brand: Brand;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /** Families of addresses that services can have, the default first. Absent: IPv4 alone. */
  readonly serviceFamilies?: readonly string[];
  /** Whether containers may ask for all rights on their node. Absent: they may not. */
  readonly allowsPrivileged?: boolean;
  /** Whether a signature was made with the key over the content. Absent: nobody here can tell. */
  readonly verifySignature?: (signed: Signed) => boolean;
}

/** How deletion of owners treats what they own, when the request does not say. */
export type Cascade = 'background' | 'orphan' | 'never';

/**
 * A kind is a declaration: facts first, then a few optional pure hooks. All hooks see objects in the storage version, in normal form,
 * with defaults set. `live` is what is stored; it is absent on create.
 */
export interface KindDefinition<T extends ApiObject = ApiObject> {
  /** Neutral form; see `brand.ts`. */
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** What a list of them calls itself, where that is not the kind with `List` behind it. */
  readonly listKind?: string;
  /** Lower-case kind unless said otherwise. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** In order of preference. */
  readonly versions: Readonly<Record<string, Version>>;
  readonly storage: string;
  /** What objects of existing clusters may still be in, beside `versions`: a version of the group, or with another group before it. */
  readonly retired?: Readonly<Record<string, RetiredVersion>>;
  /** What older servers have stored without a member that every reader is shown. */
  readonly grown?: Grown<T>;
  /** All eight unless said otherwise. */
  readonly verbs?: readonly Verb[];
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** For kinds that are nowhere stored: creating one is the action of this name in `endpoints/actions`. */
  readonly action?: string;
  /** What becomes of the objects that this one owns when it is deleted, where the request does not say. Default `background`. */
  readonly cascade?: Cascade;
  /** Said to those who delete without a word about what the object owns. */
  readonly plainDeleteWarning?: string;
  /** PUT of an absent object creates it (in the `orch` dialect every kind does, R4.2-09). */
  readonly createOnUpdate?: boolean;
  /** Scarce values: taken before the write, given back if it fails. */
  readonly reserves?: readonly ('clusterIP' | 'nodePort')[];
  /** The object of that kind and of the same name means nothing without this one: it goes with it, nobody is asked. */
  readonly takesAlong?: KindName;
  /** An update without resourceVersion overwrites whatever is there; false makes it an error. Default true. */
  readonly unconditionalUpdate?: boolean;
  /**
   * kube-apiserver holds changed metadata to its rules once for all kinds and again for the kind, and names every fault as often.
   * What the kind repeats, in this order: the rules of a change, those of new metadata with the kind's form of names. Both want domains of
   * finalizers that not every kind wants. Default: change, content. A kind that repeats nothing has no rules for new metadata either: those of all
   * kinds are asked where its own found nothing.
   */
  readonly repeatsMetadataRules?: readonly ('change' | 'content')[];
  /** Members that nobody owns, because no update can change them. */
  readonly unowned?: readonly string[];
  /**
   * Another declaration whose objects these are: both groups serve the same stored objects. Hooks, columns and selectable fields then see
   * the storage version of the other one, and `up` and `down` convert to and from it.
   */
  readonly storedAs?: KindDefinition<T>;
  /**
   * Declared at run time by a CustomResourceDefinition. Such objects have no protobuf form and no strategic merge patch, their bodies must
   * say their kind, and all versions of a kind are declarations of their own.
   */
  readonly isCustom?: boolean;
  /** The object that declares it: others are made only while that stands. */
  readonly declaredBy?: KindName & { readonly name: string };
  /** The declaration is about to go: no objects are made any more, and clients are not told that any can be changed. */
  readonly isLeaving?: boolean;
  /** Where stored objects may have another form than this declaration's. */
  readonly storedForms?: StoredForms;
  /** Of a custom resource. */
  readonly otherVersions?: OtherVersions;
  /** What clients are told that the storage version is, where it is another than `storage`; discovery publishes a hash of it. */
  readonly knownStorage?: string;
  /** Objects vanish so long after they were last written. */
  readonly ttlSeconds?: number;
  /** kube-apiserver keeps none of them in memory: lists come from its store also where any version will do, and then page by page. */
  readonly isUncached?: boolean;
  /** Finalizers may be without a domain. */
  readonly takesAnyFinalizer?: boolean;
  /** Members (`spec`, `metadata.annotations`) whose change raises `metadata.generation`; absent: the kind keeps no generation. */
  readonly generation?: readonly string[];
  /** The group that errors about an object name, where it is not the kind's own: some kinds keep the group they were born in. */
  readonly errorGroup?: string;
  /** Objects that nobody deletes by name, and why. A deletecollection takes them with the others, as kube-apiserver does. */
  readonly undeletable?: { readonly names: ReadonlySet<string>; readonly why: string };
  /** A delete answers with the object as it was, and not with a Status. */
  readonly deleteShowsObject?: boolean;
  /** What `metadata.name` must look like. Default: a DNS subdomain. */
  readonly nameForm?: NameForm;
  readonly columns?: readonly Column<T>[];
  /** How an object has ended that does nothing any more: the Table form says so of its row. */
  ended?(object: T): { readonly reason: string; readonly message: string } | undefined;
  /** The order of rows in the Table form, where it is not that of the list. */
  compareRows?(one: T, other: T): number;
  /** Words for `explain`, by member of the object; the empty key is the kind itself. */
  readonly words?: Readonly<Record<string, string>>;
  /** Annotations that those who ask for metadata alone do not see. */
  readonly hiddenAnnotations?: readonly WellKnownName[];
  /** Kinds that hold themselves in place while being deleted, beside `metadata.finalizers`. */
  readonly finalizing?: Finalizing<T>;

  /** Sets defaults that depend on how names are spelled; the schema sets all others. Changes `object`. */
  complete?(object: T, brand: Brand): void;
  /** Clears or carries over what the server owns. Changes `next`. */
  prepare?(next: T, live: T | undefined, context: HookContext): void;
  /** What keeps the object from getting any of what it `reserves`; then nothing else is said of it. */
  refuse?(next: T, live: T | undefined, context: HookContext): readonly Cause[];
  /** Says what is wrong, beyond what the schema and the metadata rules say. */
  validate?(next: T, live: T | undefined, at: FieldErrors, context: HookContext): void;
  /** Gives an accepted object its final form, for kinds that are not kept as they are sent. Runs after validation; changes `next`. */
  settle?(next: T): void;
  /** Texts for `Warning` headers. */
  warn?(next: T, live: T | undefined, context: HookContext): readonly string[];
  /** Seconds of graceful deletion; undefined: at once. */
  grace?(live: T, asked: number | undefined): number | undefined;
  /** What a selector on a field without such an attribute is told, where the kind has words of its own. */
  refuseField?(field: string): string;
  /** Attributes for field selectors, beside `metadata.name` and `metadata.namespace`. */
  select?(object: T): Readonly<Record<string, string>>;
}

/** Converts between what is stored and what a declaration says. Neither function changes its argument. */
export interface StoredForms {
  /** What is stored, in the form of the declaration; the same object where it has that form already. Throws `ApiError`. */
  load(objects: readonly ApiObject[]): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /** An object in the form of the declaration, as it is to be stored. Throws `ApiError`. */
  save(object: ApiObject): ApiObject | Promise<ApiObject>;
  /** Whether somebody else converts what is stored so, and may do it in another way the next time: who asks for the newest gets it converted anew. Absent: never. */
  isAskedAnew?(object: ApiObject): boolean;
}

/** All versions of a custom resource, as those see them who own something in one of them. */
export interface OtherVersions {
  /** What objects of a version are, whether it is served or not; undefined: there is none of that name. */
  typeOf(apiVersion: string): MessageType | undefined;
  /** An object, or a part of one, in another version: just what is made of it, without defaults. Throws `ApiError`. Absent: nothing but the name differs. */
  convert?(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/** How objects of a kind hold themselves in place while they are being deleted, as namespaces do. */
export interface Finalizing<T> {
  /** The first deletion passes over what it says of dependents: nobody else is asked to act before the object goes. */
  readonly actsAlone?: boolean;
  /** Whether the object still holds itself. */
  isHeld(object: T): boolean;
  /** Shows in the object that its deletion was asked for, beside `metadata.deletionTimestamp`. Changes `next`. */
  mark(next: T, brand: Brand): void;
}

/** `dns-subdomain`, `dns-label` (RFC 1123), `dns-1035-label`, or a path segment (anything without `/`, `%`, and not `.` or `..`). */
export type NameForm = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment';

/**
 * Checks a declaration's types: hooks and columns see the object that the schema of the storage version describes.
 *
 *     export const ConfigMap = defineKind(ConfigMapV1, { group: '', kind: 'ConfigMap', … });
 *     export type ConfigMap = ObjectOf<typeof ConfigMap>;
 */
export function defineKind<B>(_storage: MessageClass<B>, definition: KindDefinition<KindObject<B>>): KindDefinition<KindObject<B>> {
  return definition;
}

/** What a list of a kind calls itself. */
export const listKindOf = ({ kind, listKind }: Pick<KindDefinition, 'kind' | 'listKind'>): string => listKind ?? `${kind}List`;

/** An object whose body (everything but `apiVersion`, `kind` and `metadata`) is described by a message. */
export type KindObject<B> = B & ApiObject & { metadata: ObjectMeta };

/** The objects of a declaration. */
export type ObjectOf<K> = K extends KindDefinition<infer T> ? T : never;
