import { createHash } from 'node:crypto';
import { isJsonObject, memberOf, steady, type Clock, type JsonObject } from '#base';
import { ApiError, inOneMessage } from '#errors';
import type { ApiObject } from '#api';
import { configurationFault, requireKind } from '../../configuration-kind.ts';
import { definePlugin, type AdmissionRequest } from '../../plugin.ts';

const NAME = 'EventRateLimit';
const CONFIGURATION = { kind: 'Configuration', group: 'eventratelimit', version: 'v1alpha1' };
const CACHE_SIZE = 4096;

/**
 * Limits the rate of events of the core group by token buckets, so that they do not flood the server.
 * @spec 2.8 @spec 4.11
 */
export const eventRateLimit = definePlugin({
  name: NAME,
  enabled: false,
  band: 'builtin',
  after: ['NamespaceLifecycle', 'PodTolerationRestriction', 'DefaultTolerationSeconds', 'Priority'],
  create({ config, clock }) {
    const limits = readLimits(config(NAME)).map((limit) => createLimit(limit, clock));
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/events'],
      validate(request) {
        if (request.dryRun) return;
        // Every bucket is charged, so that each counts every event.
        const refusals = limits.flatMap((takes) => takes(request) ?? []);
        if (refusals.length > 0) throw new ApiError('TooManyRequests', `Too many requests: ${inOneMessage(refusals)}`);
      },
    };
  },
});

/** The key of the bucket that an event is charged to, by type of limit. */
const KEYS: Readonly<Record<string, (request: Readonly<AdmissionRequest>) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object),
};

interface Event {
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string; readonly uid?: string; readonly apiVersion?: string };
}

function sourceAndObject(event: (ApiObject & Event) | undefined): string {
  const { source = {}, involvedObject: about = {} } = event ?? {};
  return [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion].join('');
}

interface Limit {
  readonly type: string;
  /** Per second. */
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize: number;
}

/** Charges a bucket for an event. Returns why the event is refused, or undefined. */
type Take = (request: Readonly<AdmissionRequest>) => string | undefined;

function createLimit({ type, qps, burst, cacheSize }: Limit, clock: Clock): Take {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const keyOf = KEYS[type] ?? (() => '');
  return (request) => {
    const key = keyOf(request);
    // What an event says of its source may be long, and many buckets are kept.
    const place = createHash('sha256').update(key).digest('base64');
    const nowMs = steady(clock).nowMs();
    const known = buckets.get(place) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, known.tokens + ((nowMs - known.atMs) / 1000) * qps);
    const isTaken = tokens >= 1;
    // Keeps the map in order of use: the first key is the least recently used.
    buckets.delete(place);
    buckets.set(place, { tokens: isTaken ? tokens - 1 : tokens, atMs: nowMs });
    const [oldest] = buckets.keys();
    if (buckets.size > cacheSize && oldest !== undefined) buckets.delete(oldest);
    return isTaken ? undefined : `limit reached on type ${type} for key ${key}`;
  };
}

function readLimits(configuration: unknown): readonly Limit[] {
  const limits = memberOf(requireKind(NAME, configuration, CONFIGURATION), 'limits');
  if (!Array.isArray(limits) || limits.length === 0) throw wrong('limits must be a list with at least one limit');
  return limits.map((one: unknown, at) => readLimit(isJsonObject(one) ? one : {}, `limits[${at}]`));
}

function readLimit(entry: JsonObject, where: string): Limit {
  const type = memberOf(entry, 'type');
  if (typeof type !== 'string' || !Object.hasOwn(KEYS, type)) throw wrong(`${where}.type must be one of ${Object.keys(KEYS).join(', ')}`);
  const cacheSize = numberOf(entry, 'cacheSize', where) ?? 0;
  if (cacheSize < 0) throw wrong(`${where}.cacheSize must not be negative`);
  return { type, qps: positive(entry, 'qps', where), burst: positive(entry, 'burst', where), cacheSize: cacheSize === 0 ? CACHE_SIZE : cacheSize };
}

function positive(entry: JsonObject, name: string, where: string): number {
  const value = numberOf(entry, name, where) ?? 0;
  if (value <= 0) throw wrong(`${where}.${name} must be positive`);
  return value;
}

function numberOf(entry: JsonObject, name: string, where: string): number | undefined {
  const value = memberOf(entry, name) ?? undefined;
  if (value !== undefined && !Number.isInteger(value)) throw wrong(`${where}.${name} must be a whole number`);
  return value as number | undefined;
}

const wrong = (why: string): Error => configurationFault(NAME, why);
