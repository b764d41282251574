import type { Brand } from '#api';
import { startController, type Controller, type Running } from '#client';
import { Secret } from '#kinds';
import { readMoment } from '#schema';
import type { ServerControllerEnv } from './environment.ts';
import { followOnly } from './follow-only.ts';

/** A bootstrap token read from a Secret. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  readonly isForSigning: boolean;
  /** Expiry; Infinity: never. An expiry that cannot be parsed counts as passed. */
  readonly endsMs: number;
}

const NAME = /^bootstrap-token-([a-z0-9]{6})$/;

/** Reads a bootstrap token; undefined: the Secret holds none. @spec 3.3 */
export function readBootstrapToken({ metadata, type, data = {} }: Secret, { names }: Brand): BootstrapToken | undefined {
  if (type !== names.bootstrapTokenSecret || metadata.namespace !== names.systemNamespace || metadata.deletionTimestamp) return undefined;
  const text = (key: string): string => Buffer.from((Object.hasOwn(data, key) ? data[key] : undefined) ?? '', 'base64').toString('utf8');
  const id = text('token-id');
  const secret = text('token-secret');
  const isWellFormed = NAME.exec(metadata.name ?? '')?.[1] === id && /^[a-z0-9]{16}$/.test(secret);
  return { id: isWellFormed ? id : '', secret, isForSigning: isWellFormed && text('usage-bootstrap-signing') === 'true', endsMs: endOf(text('expiration')) };
}

const endOf = (expiration: string): number => (expiration === '' ? Infinity : (readMoment(expiration) ?? 0));

/** Starts a controller whose Secrets informer selects bootstrap tokens only. */
export function startWithTokens(controller: Controller<never>, env: ServerControllerEnv): Running {
  const only = followOnly(env, Secret, { fieldSelector: `type=${env.client.brand.names.bootstrapTokenSecret}` });
  return startController(controller as unknown as Controller, only);
}
