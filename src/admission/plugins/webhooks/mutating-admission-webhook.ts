import { cloneJson, isDeepEqual } from '#base';
import type { ApiObject } from '#api';
import { definePlugin, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';
import { annotationsOf, changeObject, SelectorMatch, ShownObjects, timedCalls, WebhookDispatcher, type Candidate, type Hook } from '../../webhook/index.ts';

const NAME = 'MutatingAdmissionWebhook';

/**
 * Calls mutating webhooks, one after the other, and applies their patches.
 * @spec 2.7 @spec 4.11
 */
export const mutatingAdmissionWebhook = definePlugin({
  name: NAME,
  enabled: true,
  band: 'webhook',
  create(env) {
    const dispatcher = new WebhookDispatcher(env, { plugin: NAME, configurationKind: 'MutatingWebhookConfiguration', type: 'admit' });
    const courses = new WeakMap<AdmissionRequest, Course>();
    return {
      on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
      mutate(request) {
        const candidates = dispatcher.candidates(request);
        return candidates.length === 0 ? undefined : mutate(env, dispatcher, courses, candidates, request);
      },
      start: (signal) => dispatcher.start(signal),
    };
  },
});

/** The progress of the webhooks with one request. Those with reinvocationPolicy `IfNeeded` may be called a second time. */
class Course {
  round = 0;
  /** The ids of webhooks already called, which are to be called again if the object changes after that. */
  readonly #waiting = new Set<string>();
  readonly #again = new Set<string>();
  /** The object after this round. */
  #output: ApiObject | undefined;

  begin(object: ApiObject | undefined): void {
    this.round++;
    // In the first round nobody waits yet.
    if (!isDeepEqual(object, this.#output)) this.changed();
  }

  /** Whether a webhook is called in this round: in the second one, only where the object changed after its first call. */
  isTurnOf({ id }: Hook): boolean {
    return this.round === 1 || this.#again.delete(id);
  }

  changed(): void {
    for (const id of this.#waiting) this.#again.add(id);
  }

  asked({ id, isReinvoked }: Hook): void {
    if (isReinvoked) this.#waiting.add(id);
  }

  end(object: ApiObject | undefined): void {
    this.#output = object === undefined ? undefined : cloneJson(object);
  }
}

async function mutate(
  env: AdmissionEnv,
  dispatcher: WebhookDispatcher,
  courses: WeakMap<AdmissionRequest, Course>,
  candidates: readonly Candidate[],
  request: AdmissionRequest,
): Promise<void | 'again'> {
  let course = courses.get(request);
  if (course === undefined) courses.set(request, (course = new Course()));
  course.begin(request.object);
  const selectors = new SelectorMatch(env.objects, request);
  const shown = new ShownObjects(request);
  let isChanged = false;
  for (const candidate of candidates) {
    if (!(await selectors.match(candidate.hook)) || !course.isTurnOf(candidate.hook)) continue;
    const { round } = course;
    if (await timedCalls(request, () => callOne(env, dispatcher, candidate, request, shown, round - 1))) {
      course.changed();
      shown.changed();
      isChanged = true;
    }
    course.asked(candidate.hook);
  }
  if (!isChanged) return undefined;
  course.end(request.object);
  return 'again';
}

/** Calls one webhook. Returns whether it changed the object. */
async function callOne(
  { brand }: AdmissionEnv,
  dispatcher: WebhookDispatcher,
  candidate: Candidate,
  request: AdmissionRequest,
  shown: ShownObjects,
  round: number,
): Promise<boolean> {
  const annotations = annotationsOf(request, candidate, round, brand);
  let isChanged = false;
  try {
    const reviewed = await shown.in(candidate.form);
    const answered = await dispatcher.ask(candidate, request, reviewed, async ({ patch }, help) => {
      const changed = await changeObject(request, candidate, { patch, shown: reviewed.object, help }, brand);
      isChanged = changed.isChanged;
      if (changed.operations.length > 0) annotations.patched(changed.operations);
      return true;
    });
    if (answered === undefined) annotations.failedOpen();
  } finally {
    annotations.mutated(isChanged);
  }
  return isChanged;
}
