import type { AdmissionRequest } from '../plugin.ts';

/**
 * Runs `calls` of webhooks, and tells the request for how long it waited for them, also where they fail: by the clock that times the whole request, of which
 * this is a part.
 */
export async function timedCalls<T>(request: Readonly<AdmissionRequest>, calls: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  try {
    return await calls();
  } finally {
    request.waitedForWebhooks(performance.now() - startedMs);
  }
}
