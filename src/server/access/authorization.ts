import {
  abac,
  alwaysAllow,
  alwaysDeny,
  authorizationWebhook,
  nodeAuthorizer,
  privilegedGroup,
  rbac,
  readAbacPolicies,
  union,
  type Policy,
  type Rule,
} from '#authorization';
import type { Brand, ObjectAccess } from '#api';
import type { Authorizer } from '#request';
import { modesOf, type AuthorizationMode } from './authorization-options.ts';
import { ownAuthorizer } from './own-access.ts';
import { bootstrapPolicy } from '../bootstrap/policy.ts';
import type { Settings } from '../options.ts';

/** The authorizer of a server, and what follows the objects it needs. */
export interface BuiltAuthorization {
  readonly authorizer: Authorizer;
  /** Lets authorizers follow stored objects until the signal aborts, and closes connections then. */
  start(signal: AbortSignal): void;
}

interface Parts {
  readonly settings: Settings;
  readonly brand: Brand;
  readonly objects: ObjectAccess;
  readonly policy: Policy;
}

interface Module {
  readonly authorizer: Authorizer;
  readonly start?: (signal: AbortSignal) => void;
}

/** Assembles the authorizers in the order of the modes. Opens nothing. Throws an `Error` that begins with the option that is wrong. */
export function buildAuthorization(parts: Parts): BuiltAuthorization {
  const { authorization } = parts.settings;
  const modules = modesOf(authorization).map((mode) => MODULES[mode](parts));
  return {
    authorizer: union([privilegedGroup, ...(authorization.authorizers ?? []).map(ownAuthorizer), ...modules.map(({ authorizer }) => authorizer)]),
    start: (signal) => modules.forEach((module) => module.start?.(signal)),
  };
}

const MODULES: Readonly<Record<AuthorizationMode, (parts: Parts) => Module>> = {
  AlwaysAllow: () => ({ authorizer: alwaysAllow }),
  AlwaysDeny: () => ({ authorizer: alwaysDeny }),
  ABAC: ({ settings, brand }) => ({ authorizer: abac(readAbacPolicies(settings.authorization.policy ?? '', brand)) }),
  RBAC: ({ policy, brand }) => ({ authorizer: rbac(policy, brand.group('rbac')) }),
  Webhook: webhookModule,
  Node: nodeModule,
};

function webhookModule({ settings: { authorization, clock, log }, brand }: Parts): Module {
  if (authorization.webhook === undefined) throw new Error('authorization-mode: Webhook needs --authorization-webhook-config-file');
  const authorizer = authorizationWebhook(authorization.webhook, { brand, clock, log });
  return { authorizer, start: (signal) => signal.addEventListener('abort', () => authorizer.close(), { once: true }) };
}

const NODE_ROLE = 'system:node';

function nodeModule({ settings: { log }, brand, objects }: Parts): Module {
  let rules: readonly Rule[] | undefined;
  const read = (): readonly Rule[] =>
    bootstrapPolicy(brand, 'empty').find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === NODE_ROLE)?.rules ?? [];
  const authorizer = nodeAuthorizer({ brand, objects, log, rules: () => (rules ??= read()) });
  return { authorizer, start: (signal) => authorizer.start(signal) };
}
