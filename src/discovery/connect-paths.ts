import type { Subresource } from '#api';
import type { OpenapiSchema, Type } from '#schema';
import { byName, METHODS, pathParameter, queryParameter, type Method, type Operation, type Parameter, type PathFrame, type PathItem } from './operations.ts';

const CONNECTED: readonly Method[] = ['get', 'post'];

const ANYTHING: OpenapiSchema = { type: 'string' };

/** The paths of a connecting subresource; `at` is its path. */
export function connectPaths(at: string, part: Subresource, frame: PathFrame, inPath: readonly string[]): readonly (readonly [string, PathItem])[] {
  const parameters = [...optionsOf(part), ...inPath.map(pathParameter)];
  if (part.connects === 'log') return [[at, { get: logOperation(frame), parameters: byName([...parameters, queryParameter('pretty')]) }]];
  const kind = { group: '', version: 'v1', kind: part.carries?.kind ?? '' };
  const methods = part.connects === 'proxy' ? METHODS : CONNECTED;
  const item = (suffix: string, all: readonly Parameter[]): PathItem => ({
    ...Object.fromEntries(methods.map((method) => [method, connectOperation(method, suffix, { ...frame, kind })])),
    parameters: byName(all),
  });
  if (part.connects !== 'proxy') return [[at, item('', parameters)]];
  return [
    [at, item('', parameters)],
    [`${at}/{path}`, item('WithPath', [...inPath.map(pathParameter), pathParameter('path'), ...optionsOf(part)])],
  ];
}

const RESPONSES = { 200: { description: 'OK', schema: ANYTHING }, 401: { description: 'Unauthorized' } };

function connectOperation(method: Method, suffix: string, { tag, prefix, subject, kind }: PathFrame): Operation {
  return {
    consumes: ['*/*'],
    produces: ['*/*'],
    schemes: ['https'],
    tags: [tag],
    operationId: `connect${prefix}${method.slice(0, 1).toUpperCase()}${method.slice(1)}${subject}${suffix}`,
    responses: RESPONSES,
    'x-kubernetes-action': 'connect',
    'x-kubernetes-group-version-kind': kind,
  };
}

function logOperation({ tag, prefix, subject, kind, brand }: PathFrame): Operation {
  return {
    consumes: ['*/*'],
    produces: ['text/plain', 'application/json', 'application/yaml', brand.names.protobuf],
    schemes: ['https'],
    tags: [tag],
    operationId: `read${prefix}${subject}`,
    responses: RESPONSES,
    'x-kubernetes-action': 'get',
    'x-kubernetes-group-version-kind': kind,
  };
}

const TYPES: Readonly<Record<string, string>> = { bool: 'boolean', int32: 'integer', int64: 'integer', string: 'string' };

/** The query parameters of its options. Lists have the type of their items; times are not published. */
function optionsOf({ query }: Subresource): readonly Parameter[] {
  const typed = [...(query?.type.fields ?? [])].map(([name, { type }]) => [name, TYPES[scalarOf(type)]] as const);
  return typed.flatMap(([name, type]) => (type === undefined ? [] : [queryParameter(name, type)]));
}

function scalarOf(type: Type): string {
  if (type.is === 'list') return scalarOf(type.of);
  return type.is === 'scalar' ? type.scalar.name : '';
}
