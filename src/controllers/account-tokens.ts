import { generateName } from '#api';
import { isRefusal, source, startController, type Controller, type ControllerEnv, type Running } from '#client';
import { Secret, ServiceAccount } from '#kinds';
import type { ServerControllerEnv } from './environment.ts';
import { isTooLate } from './service-accounts.ts';
import { accountNameOf, contentsOf, fillToken, followTokens, type Contents } from './tokens.ts';

/**
 * Gives every service account a Secret with a token that does not expire, and names it in the account, as clients of Kubernetes 1.23 and earlier
 * expect. An account that already names such a Secret is left as it is.
 */
export function startAccountTokens(env: ServerControllerEnv): Running | undefined {
  const contents = contentsOf(env);
  return contents && startController(accountTokensOf(contents), followTokens(env));
}

const accountTokensOf = (contents: Contents): Controller<ServiceAccount> => ({
  name: 'serviceaccount-token-autogeneration',
  watches: ServiceAccount,
  also: [source(Secret, (secret, { client }) => [{ namespace: secret.metadata.namespace ?? '', name: accountNameOf(secret, client.brand.names) }])],
  workers: 4,
  async reconcile(key, env) {
    const { client, inform } = env;
    const known = inform(ServiceAccount).get(key);
    if (known === undefined || namesOf(known).some((name) => isTokenOf(known, inform(Secret).get({ namespace: key.namespace, name }), env))) return undefined;
    // Read from the server: a stale informer would cause a second token.
    const account = await client.of(ServiceAccount).find(key);
    if (account === undefined || account.metadata.deletionTimestamp) return undefined;
    for (const name of namesOf(account)) {
      if (isTokenOf(account, await client.of(Secret).find({ namespace: key.namespace, name }), env)) return undefined;
    }
    await give(account, contents, env);
    return undefined;
  },
});

const namesOf = ({ secrets }: ServiceAccount): readonly string[] => (secrets ?? []).flatMap(({ name }) => name ?? []);

function isTokenOf({ metadata }: ServiceAccount, secret: Secret | undefined, { client: { brand: { names } } }: ControllerEnv): boolean {
  if (secret?.type !== names.serviceAccountTokenSecret || accountNameOf(secret, names) !== metadata.name) return false;
  return secret.metadata.annotations?.[names.serviceAccountUidAnnotation] === metadata.uid;
}

async function give(account: ServiceAccount, contents: Contents, { client }: ControllerEnv): Promise<void> {
  const { names } = client.brand;
  const { namespace = '', name: accountName = '', uid = '' } = account.metadata;
  const name = generateName(`${accountName}-token-`);
  const annotations = { [names.serviceAccountNameAnnotation]: accountName, [names.serviceAccountUidAnnotation]: uid };
  const data = await fillToken({}, name, account, contents);
  try {
    await client.of(Secret).create({ metadata: { namespace, name, annotations }, type: names.serviceAccountTokenSecret, data });
  } catch (cause) {
    // A namespace that is being deleted ends the attempt. A name that is taken does not: the next attempt generates another.
    if (!isTooLate(cause) || isRefusal(cause, 'AlreadyExists')) throw cause;
    return;
  }
  try {
    await client.of(ServiceAccount).update({ ...account, secrets: [...(account.secrets ?? []), { name }] });
  } catch (cause) {
    // A token that no account names would never be found, and never be deleted.
    await client.of(Secret).delete({ namespace, name });
    if (!isRefusal(cause, 'NotFound')) throw cause;
  }
}
