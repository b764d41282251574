import { createAdmissionChain, orderedPlugins, type AdmissionEnv, type AdmissionHooks } from '#admission';
import { escalationCheck, Policy, privilegedGroup, rbac, union } from '#authorization';
import { brandOf, createCatalog, type Brand, type Catalog } from '#api';
import { negotiateError } from '#codec';
import { createDiscovery } from '#discovery';
import { createCodecs, createDispatch, type Codecs, type Environment } from '#endpoints';
import { createHealth, type EncodeStatus } from '#http';
import { allKinds } from '#kinds';
import { openObjectAccess, openRegistries, type Registries } from '#registry';
import type { Identified, Next, Received, Reply } from '#request';
import type { Engine } from '#storage';
import { buildChain } from './chain.ts';
import { escalationHooks } from './escalation.ts';
import { followPolicy } from './follow-policy.ts';
import { LIMITS } from './limits.table.ts';
import type { Settings } from './options.ts';
import { Readiness } from './readiness.ts';

/** A server put together, not yet listening. */
export interface Wired {
  readonly catalog: Catalog;
  readonly registries: Registries;
  readonly readiness: Readiness;
  /** The way of requests from outside. */
  readonly handle: Next<Received>;
  /** Past the gates: what the server asks of itself. */
  readonly dispatch: Next<Identified>;
  /** Reads what decisions need from the store, and keeps it current until the signal aborts. To be awaited before anything is decided. */
  follow(signal: AbortSignal): Promise<void>;
}

/** Puts the parts together. Opens nothing. */
export function wire(settings: Settings, engine: Engine): Wired {
  const brand = brandOf(settings.dialect);
  const catalog = createCatalog(allKinds, brand);
  const policy = new Policy();
  const registries = openRegistries(catalog, engine, settings.clock);
  const objects = openObjectAccess(catalog, registries);
  const authorizer = union([privilegedGroup, rbac(policy, brand.group('rbac'))]);
  const escalation = escalationHooks(escalationCheck(policy, authorizer, brand));
  const plugins = buildPlugins({ brand, objects, catalog, authorizer, clock: settings.clock, config: () => undefined });
  const codecs = createCodecs(brand);
  const readiness = new Readiness({ engine, clock: settings.clock, livezGraceMs: settings.livezGraceMs });
  const env: Environment = {
    catalog,
    registries,
    admission: createAdmissionChain([escalation, ...plugins]),
    authorizer,
    codecs,
    clock: settings.clock,
    limits: LIMITS,
  };
  const dispatch = createDispatch(env, buildElsewhere(catalog, readiness));
  return {
    catalog,
    registries,
    readiness,
    dispatch,
    handle: buildChain(settings, authorizer, encodeStatus(codecs, brand), dispatch),
    async follow(signal) {
      await Promise.all([
        readiness.step('poststarthook/generic-apiserver-start-informers', () => followPolicy(objects, policy, signal)),
        readiness.step('poststarthook/start-kube-apiserver-admission-initializer', () => Promise.all(plugins.map((plugin) => plugin.start?.(signal)))),
      ]);
    },
  };
}

const buildPlugins = (env: AdmissionEnv): readonly AdmissionHooks[] =>
  orderedPlugins()
    .filter((plugin) => plugin.enabled)
    .map((plugin) => plugin.create(env));

/** Paths that are not resources. */
function buildElsewhere(catalog: Catalog, readiness: Readiness): (request: Identified) => Promise<Reply | undefined> {
  const health = createHealth(readiness.checks);
  const discovery = createDiscovery(catalog);
  return async (request) => health(request) ?? discovery(request);
}

/** Failures in the form the caller asked for, JSON where that cannot be. */
function encodeStatus(codecs: Codecs, brand: Brand): EncodeStatus {
  return (status, request) => {
    const codec = codecs[negotiateError(request.headers.get('accept')?.join(', '), brand).codec];
    return { contentType: codec.mediaType, body: codec.encodeStatus(status) };
  };
}
