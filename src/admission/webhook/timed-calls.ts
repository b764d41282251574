import { steady } from '#base';
import type { AdmissionEnv, AdmissionRequest } from '../plugin.ts';

/** Runs `calls` of webhooks, and tells the request for how long it waited for them, also where they fail. */
export async function timedCalls<T>({ clock }: AdmissionEnv, request: Readonly<AdmissionRequest>, calls: () => Promise<T>): Promise<T> {
  const startedMs = steady(clock).nowMs();
  try {
    return await calls();
  } finally {
    request.waitedForWebhooks(steady(clock).nowMs() - startedMs);
  }
}
