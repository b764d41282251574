import type { ApiObject } from '#api';
import { definePlugin, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';
import { lower, Selection, traceFailedOpen, WebhookDesk, type Candidate, type Form, type Shown } from '../../webhook/index.ts';

const NAME = 'ValidatingAdmissionWebhook';

/**
 * Asks webhooks, all at the same time, whether what is to be stored may be.
 * @spec 2.7 @spec 4.11
 */
export const validatingAdmissionWebhook = definePlugin({
  name: NAME,
  enabled: true,
  band: 'webhook',
  after: ['MutatingAdmissionWebhook'],
  create(env) {
    const desk = new WebhookDesk(env, { plugin: NAME, configurationKind: 'ValidatingWebhookConfiguration', type: 'validating' });
    return {
      on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
      validate(request) {
        const candidates = desk.candidates(request);
        return candidates.length === 0 ? undefined : validate(env, desk, candidates, request);
      },
      start: (signal) => desk.start(signal),
    };
  },
});

/** Waits for all; of several refusals the one of the first webhook counts. */
async function validate(env: AdmissionEnv, desk: WebhookDesk, candidates: readonly Candidate[], request: Readonly<AdmissionRequest>): Promise<void> {
  const selection = new Selection(env.objects, request);
  const called: Candidate[] = [];
  for (const candidate of candidates) if (await selection.covers(candidate.hook)) called.push(candidate);
  const show = shownOnce(request);
  const outcomes = await Promise.allSettled(called.map(async (candidate) => askOne(env, desk, candidate, request, await show(candidate.form))));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function askOne(env: AdmissionEnv, desk: WebhookDesk, candidate: Candidate, request: Readonly<AdmissionRequest>, shown: Shown): Promise<void> {
  const answered = await desk.ask(candidate, request, shown, () => true);
  if (answered === undefined) traceFailedOpen(request, candidate, env.brand);
}

/** Converts once for each version. */
function shownOnce({ object, live }: Readonly<AdmissionRequest>): (form: Form) => Promise<Shown> {
  const made = new Map<string, Promise<Shown>>();
  const lowered = async (one: ApiObject | undefined, form: Form): Promise<ApiObject | undefined> => (one === undefined ? undefined : lower(one, form));
  const lowerBoth = async (form: Form): Promise<Shown> => ({ object: await lowered(object, form), oldObject: await lowered(live, form) });
  return (form) => {
    const { group, version, kind } = form.gvk;
    const key = `${group}/${version} ${kind}`;
    let shown = made.get(key);
    if (shown === undefined) made.set(key, (shown = lowerBoth(form)));
    return shown;
  };
}
