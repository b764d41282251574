import type { Brand, Verb } from '#api';
import { openapiReference, type OpenapiSchema } from '#schema';
import { PATH_MESSAGES, type GroupVersionKind } from './definitions.ts';
import { ACTION_WORDS, PARAMETER_WORDS } from './operation-words.table.ts';

/** A parameter of OpenAPI v2. */
export interface Parameter {
  readonly uniqueItems?: true;
  readonly type?: string;
  readonly description?: string;
  readonly name: string;
  readonly in: 'query' | 'path' | 'body';
  readonly required?: true;
  readonly schema?: OpenapiSchema;
}

export interface Operation {
  readonly description?: string;
  readonly consumes?: readonly string[];
  readonly produces: readonly string[];
  readonly schemes: readonly string[];
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: OpenapiSchema }>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

/** Members of a path item that are operations. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
export type Method = (typeof METHODS)[number];
export type PathItem = Readonly<Partial<Record<Method, Operation>>> & { readonly parameters?: readonly Parameter[] };

const wordsOf = (parameter: string): { readonly description?: string } => {
  const description = PARAMETER_WORDS[parameter];
  return description === undefined ? {} : { description };
};

export const queryParameter = (name: string, type = 'string'): Parameter => ({ uniqueItems: true, type, ...wordsOf(name), name, in: 'query' });

export const pathParameter = (name: string): Parameter => ({ uniqueItems: true, type: 'string', ...wordsOf(name), name, in: 'path', required: true });

const PRETTY = queryParameter('pretty');
const DRY_RUN = queryParameter('dryRun');
const WRITE = [DRY_RUN, queryParameter('fieldManager')];
const SELECT = [
  queryParameter('continue'),
  queryParameter('fieldSelector'),
  queryParameter('labelSelector'),
  queryParameter('limit', 'integer'),
  queryParameter('resourceVersion'),
  queryParameter('resourceVersionMatch'),
  queryParameter('timeoutSeconds', 'integer'),
];
const LIST = [queryParameter('allowWatchBookmarks', 'boolean'), ...SELECT, queryParameter('watch', 'boolean')];
const DELETE = [DRY_RUN, queryParameter('gracePeriodSeconds', 'integer'), queryParameter('orphanDependents', 'boolean'), queryParameter('propagationPolicy')];

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PATCH_TYPES = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].map((type) => `application/${type}`);

const CUSTOM_PATCH_TYPES = PATCH_TYPES.filter((type) => !type.includes('strategic'));

/** One row per action: where it is published, its method, parameters beside the path, and response codes. */
interface Row {
  /** The verb that it is done with. Watches have none: they have paths of their own. */
  readonly verb?: Verb;
  readonly on: 'collection' | 'object';
  readonly method: Method;
  /** The prefix of the operation id. */
  readonly word: string;
  readonly parameters: readonly Parameter[];
  readonly body?: 'object' | 'patch' | 'options';
  readonly codes: readonly number[];
  readonly answer: 'object' | 'list' | 'status' | 'event';
}

export type Action = 'get' | 'list' | 'put' | 'post' | 'delete' | 'deletecollection' | 'patch' | 'watch' | 'watchlist';

/** In the order of a path item. */
const ACTIONS: Readonly<Record<Action, Row>> = {
  get: { verb: 'get', on: 'object', method: 'get', word: 'read', parameters: [], codes: [200], answer: 'object' },
  list: { verb: 'list', on: 'collection', method: 'get', word: 'list', parameters: LIST, codes: [200], answer: 'list' },
  put: { verb: 'update', on: 'object', method: 'put', word: 'replace', parameters: WRITE, body: 'object', codes: [200, 201], answer: 'object' },
  post: { verb: 'create', on: 'collection', method: 'post', word: 'create', parameters: WRITE, body: 'object', codes: [200, 201, 202], answer: 'object' },
  delete: { verb: 'delete', on: 'object', method: 'delete', word: 'delete', parameters: DELETE, body: 'options', codes: [200, 202], answer: 'status' },
  deletecollection: { verb: 'deletecollection', on: 'collection', method: 'delete', word: 'delete', parameters: [...DELETE, ...SELECT], body: 'options', codes: [200], answer: 'status' },
  patch: { verb: 'patch', on: 'object', method: 'patch', word: 'patch', parameters: [...WRITE, queryParameter('force', 'boolean')], body: 'patch', codes: [200, 201], answer: 'object' },
  watch: { on: 'object', method: 'get', word: 'watch', parameters: LIST, codes: [200], answer: 'event' },
  watchlist: { on: 'collection', method: 'get', word: 'watch', parameters: LIST, codes: [200], answer: 'event' },
};

const { body: _, ...BODILESS_DELETE } = ACTIONS.deletecollection;

/** Rows that differ for custom resources: deletecollection has the parameters of a list, and no body. */
const CUSTOM_ACTIONS: Readonly<Partial<Record<Action, Row>>> = {
  get: { ...ACTIONS.get, parameters: [queryParameter('resourceVersion')] },
  deletecollection: { ...BODILESS_DELETE, parameters: LIST },
  patch: { ...ACTIONS.patch, parameters: WRITE, codes: [200] },
};

/** The actions that these verbs allow, in the order of a path item; `place`: only those on a collection, or only those on one object. */
export function actionsOf(verbs: readonly Verb[], place?: Row['on']): readonly Action[] {
  const isHere = ({ verb, on }: Row): boolean => verb !== undefined && verbs.includes(verb) && (place === undefined || on === place);
  return (Object.keys(ACTIONS) as Action[]).filter((action) => isHere(ACTIONS[action]));
}

const CODE_WORDS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };
const UNAUTHORIZED = { 401: { description: 'Unauthorized' } } as const;

const BODIES = { patch: PATH_MESSAGES.Patch, options: PATH_MESSAGES.DeleteOptions } as const;

/** Common properties of the operations of a path. */
export interface PathFrame {
  readonly brand: Brand;
  readonly tag: string;
  /** In operation ids between action and kind: `CoreV1`. */
  readonly prefix: string;
  /** In operation ids after it: `NamespacedConfigMap`. */
  readonly subject: string;
  readonly kind: GroupVersionKind;
  readonly object: OpenapiSchema;
  readonly list: OpenapiSchema;
  /** Whether a delete returns the deleted object. */
  readonly returnsDeleted: boolean;
  /** Custom resources list exact media types, without protobuf and strategic merge patch. */
  readonly isCustom: boolean;
}

/** An operation with all its parameters except those of the path. */
function buildOperation(action: Action, frame: PathFrame): Operation {
  const row = (frame.isCustom ? CUSTOM_ACTIONS[action] : undefined) ?? ACTIONS[action];
  const answers = Object.fromEntries(row.codes.map((code) => [code, { description: CODE_WORDS[code] ?? '', schema: answerOf(action, frame) }]));
  const subject = action === 'deletecollection' ? `Collection${frame.subject}` : frame.subject;
  return {
    description: `${ACTION_WORDS[action]} ${frame.kind.kind}`,
    consumes: consumedTypes(frame, row),
    produces: frame.isCustom ? [JSON_TYPE, YAML_TYPE] : producedTypes(frame.brand, row),
    schemes: ['https'],
    tags: [frame.tag],
    operationId: `${row.word}${frame.prefix}${subject}`,
    parameters: [...bodyOf(row, frame), ...byName([...row.parameters, PRETTY])],
    responses: { ...answers, ...UNAUTHORIZED },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': frame.kind,
  };
}

function consumedTypes({ isCustom }: PathFrame, { body }: Row): readonly string[] {
  if (body === 'patch') return isCustom ? CUSTOM_PATCH_TYPES : PATCH_TYPES;
  return isCustom ? [JSON_TYPE, YAML_TYPE] : ['*/*'];
}

function producedTypes({ names }: Brand, { answer }: Row): readonly string[] {
  const types = [JSON_TYPE, YAML_TYPE, names.protobuf];
  return answer === 'list' || answer === 'event' ? [...types, `${JSON_TYPE};stream=watch`, `${names.protobuf};stream=watch`] : types;
}

function answerOf(action: Action, { object, list, returnsDeleted }: PathFrame): OpenapiSchema {
  const { answer } = ACTIONS[action];
  if (answer === 'object' || (action === 'delete' && returnsDeleted)) return object;
  if (answer === 'list') return list;
  return openapiReference((answer === 'status' ? PATH_MESSAGES.StatusBody : PATH_MESSAGES.WatchEvent).type.name);
}

function bodyOf({ body }: Row, { object }: PathFrame): readonly Parameter[] {
  if (body === undefined) return [];
  const schema = body === 'object' ? object : openapiReference(BODIES[body].type.name);
  return [{ name: 'body', in: 'body', ...(body === 'options' ? {} : { required: true }), schema }];
}

/** Sorted as in a path item. Of two with one name the path parameter comes first. */
export const byName = (parameters: readonly Parameter[]): readonly Parameter[] => parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The path item with these operations. Parameters common to all of them are listed once, at the path. */
export function buildPathItem(actions: readonly Action[], frame: PathFrame, inPath: readonly string[]): PathItem {
  const operations = actions.map((action) => [ACTIONS[action].method, buildOperation(action, frame)] as const);
  const shared = sharedParameters(operations.map(([, operation]) => operation));
  const parameters = byName([...shared, ...inPath.map(pathParameter)]);
  return {
    ...Object.fromEntries(operations.map(([method, operation]) => [method, without(operation, shared)])),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}

/** The parameters of all operations. Query parameters are shared objects, so identity compares them. */
function sharedParameters(operations: readonly Operation[]): readonly Parameter[] {
  const [first, ...others] = operations;
  return (first?.parameters ?? []).filter(
    (parameter) => parameter.in !== 'body' && others.every(({ parameters }) => parameters?.includes(parameter)),
  );
}

function without(operation: Operation, shared: readonly Parameter[]): Operation {
  const { parameters = [], ...rest } = operation;
  const own = parameters.filter((parameter) => !shared.includes(parameter));
  return own.length === 0 ? rest : { ...rest, parameters: own };
}
