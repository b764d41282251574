import { NODE_USER_PREFIX, NODES_GROUP, type Brand } from '#api';
import type { BuiltInSigner } from '../environment.ts';
import type { ReadRequest } from './read-request.ts';

type Check = (request: ReadRequest, usages: readonly string[], brand: Brand) => string | undefined;

const CLIENT = 'client auth';
const SERVER = 'server auth';
const KEY_USAGES = ['digital signature', 'key encipherment'];

/** The rules of each built-in signer; a check returns what is wrong. None of them issues CA certificates. @spec 2.12 */
const SIGNERS: Readonly<Record<BuiltInSigner, Check>> = {
  clientSigner: (_request, usages) => clientUsages(usages),
  nodeClientSigner: (request, usages) => nodeSubject(request) ?? noNames(request) ?? exactly(usages, [[...KEY_USAGES, CLIENT]]),
  nodeServingSigner: (request, usages, { deviations }) =>
    nodeSubject(request) ??
    servingNames(request) ??
    exactly(usages, [[...KEY_USAGES, SERVER], ...(deviations.nodeServingMayBeClient ? [[...KEY_USAGES, CLIENT]] : [])]),
  legacySigner: () => undefined,
};

export interface Signer {
  readonly name: BuiltInSigner;
  readonly check: Check;
}

/** The rules of a signer; undefined: it is no built-in one. */
export function signerOf(signerName: string, { names }: Brand): Signer | undefined {
  const found = (Object.keys(SIGNERS) as BuiltInSigner[]).find((signer) => names[signer] === signerName);
  return found === undefined ? undefined : { name: found, check: SIGNERS[found] };
}

function nodeSubject({ organizations, commonName }: ReadRequest): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== NODES_GROUP) return `the organization of the subject must be ${NODES_GROUP} and nothing else`;
  return commonName.startsWith(NODE_USER_PREFIX) ? undefined : `the common name of the subject must start with ${NODE_USER_PREFIX}`;
}

const noNames = ({ names }: ReadRequest): string | undefined => (names.length === 0 ? undefined : `subjectAltNames of type ${names[0]?.type} are not allowed`);

function servingNames({ names }: ReadRequest): string | undefined {
  const other = names.find(({ type }) => type !== 'dns' && type !== 'ip');
  if (other !== undefined) return `subjectAltNames of type ${other.type} are not allowed`;
  return names.length > 0 ? undefined : 'there must be a subjectAltName of type dns or ip';
}

function clientUsages(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => usage !== CLIENT && !KEY_USAGES.includes(usage));
  if (other !== undefined) return `the usage ${other} is not allowed`;
  return usages.includes(CLIENT) ? undefined : `the usage ${CLIENT} must be among the usages`;
}

function exactly(usages: readonly string[], choices: readonly (readonly string[])[]): string | undefined {
  const isOneOf = choices.some((choice) => new Set(usages).size === choice.length && choice.every((usage) => usages.includes(usage)));
  return isOneOf ? undefined : `the usages must be exactly ${choices.map((choice) => choice.join(', ')).join('; or ')}`;
}
