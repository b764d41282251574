import type { JsonObject } from '#base';
import { accountUserName, type Brand } from '#api';
import type { BoundTokenOrder, LegacyTokenOrder, TokenReference } from '#request';
import { objectOf, textOf } from '../claims.ts';

/** The claims of a bound token beside the registered ones. */
export interface BoundClaims {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly pod?: TokenReference;
  readonly secret?: TokenReference;
  /** Seconds since the epoch, after which a use of the token is annotated as stale. */
  readonly warnAfter?: number;
}

export interface LegacyClaims {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly secretName: string;
}

/** The claims of a bound token. */
export function boundClaims(order: BoundTokenOrder, issuer: string, { names }: Brand): JsonObject {
  const { namespace, account, boundTo, audiences, expirationSeconds, warnAfterSeconds } = order;
  const now = Math.floor(order.issuedAtMs / 1000);
  return {
    aud: audiences,
    exp: now + expirationSeconds,
    iat: now,
    iss: issuer,
    [names.domain]: {
      namespace,
      ...(boundTo === undefined ? {} : { [boundTo.kind]: { name: boundTo.name, uid: boundTo.uid } }),
      serviceaccount: { name: account.name, uid: account.uid },
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: accountUserName(namespace, account.name),
  };
}

/** Reads the claims of a bound token; undefined: a required claim is missing, or a bound object lacks its name or uid. */
export function readBoundClaims(claims: JsonObject, { names }: Brand): BoundClaims | undefined {
  const own = objectOf(claims, names.domain) ?? {};
  const namespace = textOf(own, 'namespace');
  const account = readReference(own, 'serviceaccount');
  if (namespace === undefined || account === undefined) return undefined;
  const [pod, secret] = [readReference(own, 'pod'), readReference(own, 'secret')];
  if ((Object.hasOwn(own, 'pod') && pod === undefined) || (Object.hasOwn(own, 'secret') && secret === undefined)) return undefined;
  const { warnafter } = own;
  return {
    namespace,
    account,
    ...(pod === undefined ? {} : { pod }),
    ...(secret === undefined ? {} : { secret }),
    ...(typeof warnafter === 'number' && warnafter > 0 ? { warnAfter: warnafter } : {}),
  };
}

function readReference(own: JsonObject, name: string): TokenReference | undefined {
  const reference = objectOf(own, name) ?? {};
  const [known, uid] = [textOf(reference, 'name'), textOf(reference, 'uid')];
  return known === undefined || uid === undefined ? undefined : { name: known, uid };
}

/** The claim names of legacy tokens. */
const legacyNames = ({ names }: Brand): Readonly<Record<'namespace' | 'secretName' | 'accountName' | 'accountUid', string>> => {
  const prefix = `${names.domain}/serviceaccount`;
  return {
    namespace: `${prefix}/namespace`,
    secretName: `${prefix}/secret.name`,
    accountName: `${prefix}/service-account.name`,
    accountUid: `${prefix}/service-account.uid`,
  };
};

/** The claims of a legacy token, which is stored in a Secret. */
export function legacyClaims({ namespace, account, secretName }: LegacyTokenOrder, brand: Brand): JsonObject {
  const names = legacyNames(brand);
  return {
    iss: brand.names.legacyTokenIssuer,
    [names.namespace]: namespace,
    [names.secretName]: secretName,
    [names.accountName]: account.name,
    [names.accountUid]: account.uid,
    sub: accountUserName(namespace, account.name),
  };
}

/** Reads the claims of a legacy token; undefined: a claim is missing, or `sub` names another account. */
export function readLegacyClaims(claims: JsonObject, brand: Brand): LegacyClaims | undefined {
  const names = legacyNames(brand);
  const [namespace, secretName] = [textOf(claims, names.namespace), textOf(claims, names.secretName)];
  const [name, uid] = [textOf(claims, names.accountName), textOf(claims, names.accountUid)];
  if (namespace === undefined || secretName === undefined || name === undefined || uid === undefined) return undefined;
  if (textOf(claims, 'sub') !== accountUserName(namespace, name)) return undefined;
  return { namespace, account: { name, uid }, secretName };
}
