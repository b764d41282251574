import { isRefusal, type Controller } from '#client';
import { Secret } from '#kinds';
import { readBootstrapToken } from './bootstrap-tokens.ts';

/** Deletes expired bootstrap tokens. @spec 3.3 */
export const tokenCleaner: Controller<Secret> = {
  name: 'tokencleaner',
  watches: Secret,
  async reconcile(key, { client, clock, inform }) {
    const secret = inform(Secret).get(key);
    const token = secret && readBootstrapToken(secret, client.brand);
    if (secret === undefined || token === undefined || token.endsMs === Infinity) return undefined;
    const leftMs = token.endsMs - clock.nowMs();
    if (leftMs > 0) return leftMs;
    const { uid = '', resourceVersion = '' } = secret.metadata;
    try {
      await client.of(Secret).delete(key, { uid, resourceVersion });
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) throw cause;
    }
    return undefined;
  },
};
