import { randomBytes } from 'node:crypto';
import { apiVersionOf } from '#api';
import type { ControllerEnv } from '#client';
import { ApiError } from '#errors';
import { Event } from '#kinds';
import { formatTime } from '#schema';

/** Where the events of objects without a namespace are. */
const DEFAULT_NAMESPACE = 'default';

/** An object that people are told about. */
export interface About {
  readonly resource: Parameters<typeof apiVersionOf>[0] & { readonly kind: string };
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Warning {
  /** Who says so. */
  readonly component: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Makes a warning event of an object. One that the server refuses is not made: a namespace that is being deleted takes none. Throws where there is no
 * answer.
 */
export async function warn({ client, clock }: ControllerEnv, { resource, namespace, name, uid }: About, { component, reason, message }: Warning): Promise<void> {
  const time = formatTime(clock.nowMs());
  try {
    await client.of(Event).create({
      metadata: { namespace: namespace || DEFAULT_NAMESPACE, name: `${name}.${randomBytes(8).toString('hex')}` },
      involvedObject: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(namespace === '' ? {} : { namespace }), name, uid },
      type: 'Warning',
      reason,
      message,
      source: { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    });
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
  }
}
