import { definePlugin, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';
import { annotateFailedOpen, SelectorMatch, ShownObjects, timedCalls, WebhookDispatcher, type Candidate } from '../../webhook/index.ts';

const NAME = 'ValidatingAdmissionWebhook';

/**
 * Calls validating webhooks, all at the same time, with the object that would be stored.
 * @spec 2.7 @spec 4.11
 */
export const validatingAdmissionWebhook = definePlugin({
  name: NAME,
  enabled: true,
  band: 'webhook',
  after: ['MutatingAdmissionWebhook'],
  create(env) {
    const dispatcher = new WebhookDispatcher(env, { plugin: NAME, configurationKind: 'ValidatingWebhookConfiguration', type: 'validating' });
    return {
      on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
      validate(request) {
        const candidates = dispatcher.candidates(request);
        return candidates.length === 0 ? undefined : validate(env, dispatcher, candidates, request);
      },
      start: (signal) => dispatcher.start(signal),
    };
  },
});

/** Calls all webhooks at the same time and waits for all; of several refusals that of the first webhook counts. */
async function validate(
  env: AdmissionEnv,
  dispatcher: WebhookDispatcher,
  candidates: readonly Candidate[],
  request: Readonly<AdmissionRequest>,
): Promise<void> {
  const selectors = new SelectorMatch(env.objects, request);
  const called: Candidate[] = [];
  for (const candidate of candidates) if (await selectors.match(candidate.hook)) called.push(candidate);
  const shown = new ShownObjects(request);
  const callOne = async (candidate: Candidate, place: number): Promise<void> => {
    const answered = await dispatcher.ask(candidate, request, await shown.in(candidate.form), () => true);
    if (answered === undefined) annotateFailedOpen(request, candidate, place, env.brand);
  };
  const outcomes = await timedCalls(request, () => Promise.allSettled(called.map(callOne)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
