import type { Cause, FieldErrors } from '#errors';
import type { ListMerge, MessageClass, MessageType } from '#schema';
import type { KindName } from './access.ts';
import type { Allocating } from './allocating.ts';
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
  /** Declared and possibly stored, but not served. */
  readonly isOff?: boolean;
  /** Deprecated: every request through this version gets a warning. */
  readonly deprecated?: Deprecation;
  /** A warning for every request through this version. */
  readonly warning?: string;
  /** The default deletion propagation, where this version differs from the kind. */
  readonly cascade?: Cascade;
  /** The list type of the list's items, where OpenAPI publishes it. */
  readonly itemsMerge?: ListMerge;
  /** Fields for field selectors that this version alone knows, and that no object has. */
  readonly emptyFields?: readonly string[];
  /** The error for an unsupported field selector, where this version differs from the kind. */
  refuseField?(field: string): string;
}

/** A version that is no longer served, in which objects may still be stored. `up` converts them to the storage version, as that of `Version` does. */
export type RetiredVersion = Pick<Version, 'schema' | 'up'>;

/** Completes objects that were stored before a field existed. */
export interface Grown<T> {
  /** Objects that contain a field of this name anywhere are complete. */
  readonly member: string;
  /** Adds the field to `object`, in place. `families`: IP families of services, the default first. */
  fill(object: T, families: readonly string[]): void;
}

/** Releases, as `1.21`. */
export interface Deprecation {
  readonly since: string;
  /** The release that removes it. Absent: unknown. */
  readonly goneIn?: string;
  /** The version that replaces it. */
  readonly use?: string;
}

/** A subresource. */
export interface Subresource {
  readonly verbs: readonly Verb[];
  /** Top-level fields that writes to this subresource may change, and writes to the main resource may not. */
  readonly writes?: readonly string[];
  /** Create keeps these fields, too. */
  readonly isKeptOnCreate?: boolean;
  /** Metadata that writes here do not change; for most kinds they do. */
  readonly keepsMetadata?: readonly (keyof ObjectMeta)[];
  /** Fields that writes here do not own although they send them, because the kind ignores them here: `metadata.labels`, … */
  readonly unowned?: readonly string[];
  /** Which metadata rules are repeated for writes here, where that is not `change` alone. See the field of the kind. */
  readonly repeatsMetadataRules?: readonly ('change' | 'content')[];
  /** Kind and version of its bodies, where they are not the object itself. */
  readonly carries?: Carried;
  /** An imperative subresource is handled by the action of this name in `endpoints/actions`. */
  readonly action?: string;
  /** Connects to a backend behind the API, which answers; the options it `carries` are read from the query. */
  readonly connects?: Connects;
  /** The query options of such a subresource. */
  readonly query?: MessageClass<unknown>;
  /** Access to the replicas of an object, for kinds with custom paths. */
  readonly scaling?: Scaling;
  /** The resource that a 404 of this subresource names, by neutral group and resource. Default: the object's own. */
  readonly missing?: { readonly group: string; readonly resource: string };
}

/** The kind of connection: a container, its log, a port of a pod, or an HTTP backend. */
export type Connects = 'attach' | 'exec' | 'log' | 'portforward' | 'proxy';

/** Paths to desired and actual replicas. */
export interface Scaling {
  /** The path of the replicas, for error messages. */
  readonly path: string;
  /** Reads the scale; `replicas` is undefined where the object does not set it. Throws `InternalError` for a value of another type. */
  read(object: ApiObject): { readonly replicas: number | undefined; readonly statusReplicas: number; readonly selector: string };
  /** Sets the replicas in `object`. Throws `InternalError` where the path cannot be created. */
  write(object: ApiObject, replicas: number): void;
}

/** The body of a subresource's requests or responses. The group is in neutral form. */
export interface Carried {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Its schema. */
  readonly schema?: MessageClass<unknown>;
  /** Further versions with the same schema that a body may name. */
  readonly alsoVersions?: readonly string[];
}

/** A column of the Table form. @spec 2.5 */
export interface Column<T = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown only with `-o wide`. */
  readonly priority?: number;
  /** The cell's value; `nowMs` is for ages. */
  cell(object: T, nowMs: number): string | number | bigint | boolean | null;
}

/** The user of a write. */
export interface HookUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Signed content, as a certificate request, with its parts in DER. */
export interface Signed {
  readonly content: Uint8Array;
  /** With its algorithm, as certificates hold it (SubjectPublicKeyInfo). */
  readonly publicKey: Uint8Array;
  /** The signature algorithm: its object identifier in hex. */
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

/** The context of a hook, beside the objects. */
export interface HookContext {
  /** The user; absent for the server's own writes. */
  readonly user?: HookUser;
  /** The version in the request's path; absent for the server's own writes. */
  readonly version?: string;
  readonly brand: Brand;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /** IP families of services, the default first. Absent: IPv4 alone. */
  readonly serviceFamilies?: readonly string[];
  /** Whether containers may be privileged. Absent: no. */
  readonly allowsPrivileged?: boolean;
  /** Verifies a signature over the content. Absent: cannot be verified here. */
  readonly verifySignature?: (signed: Signed) => boolean;
}

/** The default deletion propagation for dependents. */
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
  /** The kind of lists, where it is not the kind plus `List`. */
  readonly listKind?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** In order of preference. */
  readonly versions: Readonly<Record<string, Version>>;
  readonly storage: string;
  /** Further versions in which objects of existing clusters may be stored: a version of the group, or one with another group as prefix. */
  readonly retired?: Readonly<Record<string, RetiredVersion>>;
  /** Completes objects that older servers stored without a field that every response contains. */
  readonly grown?: Grown<T>;
  /** Default: all eight. */
  readonly verbs?: readonly Verb[];
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** For kinds that are not stored: the action in `endpoints/actions` that a create runs. */
  readonly action?: string;
  /** The propagation of a deletion whose request sets none. Default `background`. */
  readonly cascade?: Cascade;
  /** A warning for deletions that set no propagation. */
  readonly plainDeleteWarning?: string;
  /** PUT of an absent object creates it (in the `orch` dialect every kind does, R4.2-09). */
  readonly createOnUpdate?: boolean;
  /** For the kind whose objects hold addresses and ports of the cluster. */
  readonly allocating?: Allocating<T>;
  /** An object of that kind with the same name is deleted together with this one, without authorization or admission. */
  readonly takesAlong?: KindName;
  /** An update without resourceVersion overwrites whatever is there; false makes it an error. Default true. */
  readonly unconditionalUpdate?: boolean;
  /**
   * kube-apiserver validates changed metadata once for all kinds and again for the kind, and reports every error each time. Lists what the kind
   * repeats, in order: the rules of a change, and those of new metadata with the kind's name format. Both require finalizers to be qualified, which
   * not every kind does. Default: change, content. A kind that repeats nothing has no rules for new metadata either: the common ones apply where its
   * own find no error.
   */
  readonly repeatsMetadataRules?: readonly ('change' | 'content')[];
  /** Fields without field managers, because no update can change them. */
  readonly unowned?: readonly string[];
  /**
   * The declaration that these objects are stored as: both groups serve the same stored objects. Hooks, columns and selectable fields then see its
   * storage version, and `up` and `down` convert to and from it.
   */
  readonly storedAs?: KindDefinition<T>;
  /**
   * Declared at run time by a CustomResourceDefinition. Such objects have no protobuf form and no strategic merge patch, their bodies must
   * say their kind, and all versions of a kind are declarations of their own.
   */
  readonly isCustom?: boolean;
  /** The CustomResourceDefinition; objects are created only while it exists, and not under another of its name. */
  readonly declaredBy?: KindName & { readonly name: string; readonly uid: string | undefined };
  /** The declaration is being deleted: creates are rejected, and discovery no longer lists verbs that change objects. */
  readonly isLeaving?: boolean;
  /** Conversion of stored objects, where their form may differ from the declaration. */
  readonly storedForms?: StoredForms;
  /** The other versions of a custom resource. */
  readonly otherVersions?: OtherVersions;
  /** The storage version that discovery publishes a hash of, where it differs from `storage`. null: discovery publishes none. */
  readonly knownStorage?: string | null;
  /** Objects expire this long after their last write. */
  readonly ttlSeconds?: number;
  /** kube-apiserver does not cache this kind: lists with resourceVersion 0 are read from its store too, and are then paginated. */
  readonly isUncached?: boolean;
  /** Finalizers need no domain prefix. */
  readonly takesAnyFinalizer?: boolean;
  /** Fields (`spec`, `metadata.annotations`) whose change increments `metadata.generation`; absent: the kind has no generation. */
  readonly generation?: readonly string[];
  /** The group in errors about an object, where it differs: some kinds keep their original group there. */
  readonly errorGroup?: string;
  /** Objects that cannot be deleted by name, and why. A deletecollection deletes them, as in kube-apiserver. */
  readonly undeletable?: { readonly names: ReadonlySet<string>; readonly why: string };
  /** A delete returns the object instead of a Status. */
  readonly deleteShowsObject?: boolean;
  /** The format of `metadata.name`. Default: a DNS subdomain. */
  readonly nameForm?: NameForm;
  readonly columns?: readonly Column<T>[];
  /** The reason and message of a completed object, which the Table form shows as a row condition. */
  ended?(object: T): { readonly reason: string; readonly message: string } | undefined;
  /** The order of rows in the Table form, where it differs from the list. */
  compareRows?(one: T, other: T): number;
  /** Descriptions for `explain`, by field; the empty key is the kind itself. */
  readonly words?: Readonly<Record<string, string>>;
  /** Annotations that are removed from PartialObjectMetadata. */
  readonly hiddenAnnotations?: readonly WellKnownName[];
  /** For kinds with finalizers of their own, beside `metadata.finalizers`. */
  readonly finalizing?: Finalizing<T>;

  /** Sets defaults that depend on how names are spelled; the schema sets all others. Changes `object`. */
  complete?(object: T, brand: Brand): void;
  /** Clears or carries over fields that the server owns. Changes `next`. */
  prepare?(next: T, live: T | undefined, context: HookContext): void;
  /** Completes what a new object has from its name, which may be made only after `prepare`. Runs before validation; changes `next`. */
  completeNamed?(next: T): void;
  /** Errors that prevent the object from allocating what it needs; no other errors are reported then. */
  refuse?(next: T, live: T | undefined, context: HookContext): readonly Cause[];
  /** Reports errors, beyond those of schema and metadata rules. */
  validate?(next: T, live: T | undefined, at: FieldErrors, context: HookContext): void;
  /** Gives a valid object its stored form, for kinds that are not stored as sent. Runs after validation; changes `next`. */
  settle?(next: T, context: HookContext): void;
  /** Texts for `Warning` headers. */
  warn?(next: T, live: T | undefined, context: HookContext): readonly string[];
  /** Seconds of graceful deletion; undefined: delete immediately. */
  grace?(live: T, asked: number | undefined): number | undefined;
  /** The error for an unsupported field selector, where the kind has its own text. */
  refuseField?(field: string): string;
  /** The present names of fields for field selectors, by former names that are still understood. */
  readonly formerFields?: ReadonlyMap<string, string>;
  /** Fields for field selectors, beside `metadata.name` and `metadata.namespace`. */
  select?(object: T): Readonly<Record<string, string>>;
}

/** Converts between the stored form and that of a declaration. Neither function changes its argument. */
export interface StoredForms {
  /** Converts stored objects to the form of the declaration; objects that already have it are returned as they are. Throws `ApiError`. */
  load(objects: readonly ApiObject[]): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /** Converts an object of the declaration's form to the stored one. Throws `ApiError`. */
  save(object: ApiObject): ApiObject | Promise<ApiObject>;
  /**
   * Whether a webhook converts this stored object, and might do so differently the next time: reads of the most recent revision then convert it
   * again. Absent: never.
   */
  isAskedAnew?(object: ApiObject): boolean;
  /** What was written at a later revision has the form of the declaration, so that it need not be decoded. Absent: nobody knows that of anything. */
  readonly declaredSince?: number;
}

/** All versions of a custom resource, for field ownership, which is recorded per version. */
export interface OtherVersions {
  /** The type of a version, served or not; undefined: it does not exist. */
  typeOf(apiVersion: string): MessageType | undefined;
  /** The path of the replicas in a version, as in `Scaling`; undefined: the version has no scale, or does not exist. */
  scalePathOf(apiVersion: string): string | undefined;
  /** Converts an object, or a part of one, to another version, without defaults. Throws `ApiError`. Absent: versions differ only in name. */
  convert?(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/** Finalizers of a kind's own, as namespaces have in `spec.finalizers`. */
export interface Finalizing<T> {
  /** The first deletion ignores the requested propagation: no garbage collection finalizer is added. */
  readonly actsAlone?: boolean;
  /** Whether such finalizers remain. */
  isHeld(object: T): boolean;
  /** Marks the object as being deleted, beside `metadata.deletionTimestamp`. Changes `next`. */
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

/** The kind of lists of a kind. */
export const listKindOf = ({ kind, listKind }: Pick<KindDefinition, 'kind' | 'listKind'>): string => listKind ?? `${kind}List`;

/** An object whose body (everything but `apiVersion`, `kind` and `metadata`) is described by a message. */
export type KindObject<B> = B & ApiObject & { metadata: ObjectMeta };

/** The objects of a declaration. */
export type ObjectOf<K> = K extends KindDefinition<infer T> ? T : never;
