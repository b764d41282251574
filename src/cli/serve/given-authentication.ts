import type { AuthenticationOptions, ServiceAccountOptions } from '#server';
import { readKubeconfig, TransportFailure } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { checkAuthorities, readFileOf, readFlagFile, readPrivateKey } from './given-files.ts';

/** The authentication options from the flags, with files read. `tokenKey` signs tokens where no other key is given. Throws `UsageError`. */
export async function readGivenAuthentication(flags: FlagValues, tokenKey: string): Promise<AuthenticationOptions> {
  const [serviceAccounts, requestHeader, oidc, tokenWebhook] = await Promise.all([
    readServiceAccounts(flags, tokenKey),
    readRequestHeader(flags),
    readOidc(flags),
    readTokenWebhook(flags),
  ]);
  const apiAudiences = flags.words('api-audiences');
  return {
    serviceAccounts,
    bootstrapTokens: flags.isOn('enable-bootstrap-token-auth'),
    ...(apiAudiences.length === 0 ? {} : { apiAudiences }),
    ...(requestHeader === undefined ? {} : { requestHeader }),
    ...(oidc === undefined ? {} : { oidc }),
    ...(tokenWebhook === undefined ? {} : { tokenWebhook }),
  };
}

const MIN_LIFE_SECONDS = 3600;
const MAX_LIFE_SECONDS = 2 ** 32;

async function readServiceAccounts(flags: FlagValues, tokenKey: string): Promise<ServiceAccountOptions> {
  const keyFile = 'service-account-key-file';
  const [given, secretSigningKey] = await Promise.all(['service-account-signing-key-file', 'service-account-private-key-file'].map((name) => readPrivateKey(flags, name)));
  const verifyingKeys = await Promise.all(flags.list(keyFile).map((path) => readFileOf(keyFile, path)));
  if (verifyingKeys.length > 0 && given === undefined) {
    throw new UsageError(`--${keyFile} is given without --service-account-signing-key-file: tokens made here would not be accepted`);
  }
  const maxExpirationMs = flags.milliseconds('service-account-max-token-expiration');
  const jwksUri = flags.text('service-account-jwks-uri');
  if (jwksUri !== undefined && !isHttps(jwksUri)) throw new UsageError(`--service-account-jwks-uri: ${jwksUri} is no https address`);
  return {
    issuers: flags.list('service-account-issuer'),
    signingKey: given ?? tokenKey,
    ...(secretSigningKey === undefined ? {} : { secretSigningKey }),
    verifyingKeys,
    isLookedUp: flags.isOn('service-account-lookup'),
    extendsExpiration: flags.isOn('service-account-extend-token-expiration'),
    ...(maxExpirationMs === undefined ? {} : { maxExpirationSeconds: checkedLife(maxExpirationMs / 1000) }),
    ...(jwksUri === undefined ? {} : { jwksUri }),
  };
}

function checkedLife(seconds: number): number {
  if (seconds >= MIN_LIFE_SECONDS && seconds <= MAX_LIFE_SECONDS) return Math.floor(seconds);
  throw new UsageError('--service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
}

const isHttps = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'https:';

async function readRequestHeader(flags: FlagValues): Promise<AuthenticationOptions['requestHeader']> {
  const file = 'requestheader-client-ca-file';
  const clientCa = await readFlagFile(flags, file);
  const usernameHeaders = flags.words('requestheader-username-headers');
  if (clientCa === undefined) {
    if (usernameHeaders.length === 0) return undefined;
    throw new UsageError(`--requestheader-username-headers is given without --${file}: nobody would be believed`);
  }
  checkAuthorities(clientCa, file, flags);
  return {
    clientCa,
    usernameHeaders: namesOf(flags, 'requestheader-username-headers'),
    allowedNames: namesOf(flags, 'requestheader-allowed-names'),
    groupHeaders: namesOf(flags, 'requestheader-group-headers'),
    extraHeadersPrefixes: namesOf(flags, 'requestheader-extra-headers-prefix'),
  };
}

/** The names that a flag lists, none of them empty: without any allowed name, everybody's would be. */
function namesOf(flags: FlagValues, name: string): readonly string[] {
  const isEmpty = flags.list(name).some((value) => value.split(',').some((word) => word.trim() === ''));
  if (isEmpty) throw new UsageError(`--${name}: a name must not be empty`);
  return flags.words(name);
}

async function readOidc(flags: FlagValues): Promise<AuthenticationOptions['oidc']> {
  const issuerUrl = flags.text('oidc-issuer-url');
  const clientId = flags.text('oidc-client-id');
  const authority = await readFlagFile(flags, 'oidc-ca-file');
  if ((issuerUrl === undefined) !== (clientId === undefined)) throw new UsageError('--oidc-issuer-url and --oidc-client-id belong together: one is missing');
  if (issuerUrl === undefined || clientId === undefined) return undefined;
  if (authority !== undefined) checkAuthorities(authority, 'oidc-ca-file', flags);
  const given = {
    usernameClaim: flags.text('oidc-username-claim'),
    usernamePrefix: flags.text('oidc-username-prefix'),
    groupsClaim: flags.text('oidc-groups-claim'),
    groupsPrefix: flags.text('oidc-groups-prefix'),
  };
  const signingAlgorithms = flags.words('oidc-signing-algs');
  return {
    issuerUrl,
    clientId,
    requiredClaims: Object.fromEntries(flags.list('oidc-required-claim').map(readClaim)),
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as { readonly usernameClaim?: string }),
    ...(signingAlgorithms.length === 0 ? {} : { signingAlgorithms }),
    ...(authority === undefined ? {} : { authority }),
  };
}

function readClaim(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--oidc-required-claim is key=value, not ${JSON.stringify(text)}`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

async function readTokenWebhook(flags: FlagValues): Promise<AuthenticationOptions['tokenWebhook']> {
  const name = 'authentication-token-webhook-config-file';
  const file = flags.text(name);
  if (file === undefined) return undefined;
  try {
    return {
      connection: await readKubeconfig(file),
      version: flags.text('authentication-token-webhook-version') === 'v1' ? 'v1' : 'v1beta1',
      ...cacheTtlOf(flags),
    };
  } catch (cause) {
    if (cause instanceof TransportFailure) throw new UsageError(`--${name}: ${cause.message}`);
    throw cause;
  }
}

function cacheTtlOf(flags: FlagValues): { readonly cacheTtlMs?: number } {
  const cacheTtlMs = flags.milliseconds('authentication-token-webhook-cache-ttl');
  return cacheTtlMs === undefined ? {} : { cacheTtlMs };
}
