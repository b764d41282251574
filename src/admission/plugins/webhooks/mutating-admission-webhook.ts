import { cloneJson, isDeepEqual } from '#base';
import type { ApiObject } from '#api';
import { definePlugin, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';
import { changeObject, lower, Selection, traceOf, WebhookDesk, type Candidate, type Hook } from '../../webhook/index.ts';

const NAME = 'MutatingAdmissionWebhook';

/**
 * Asks webhooks, one after the other, what to change.
 * @spec 2.7 @spec 4.11
 */
export const mutatingAdmissionWebhook = definePlugin({
  name: NAME,
  enabled: true,
  band: 'webhook',
  create(env) {
    const desk = new WebhookDesk(env, { plugin: NAME, configurationKind: 'MutatingWebhookConfiguration', type: 'admit' });
    const courses = new WeakMap<AdmissionRequest, Course>();
    return {
      on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
      mutate(request) {
        const candidates = desk.candidates(request);
        return candidates.length === 0 ? undefined : mutate(env, desk, courses, candidates, request);
      },
      start: (signal) => desk.start(signal),
    };
  },
});

/** Where a request is: webhooks may be asked a second time, and then only some of them. */
class Course {
  round = 0;
  /** Asked already, and wanting to be asked again after a change. */
  #waiting = new Set<Hook>();
  readonly #again = new Set<Hook>();
  /** How webhooks left the object. */
  #output: ApiObject | undefined;

  begin(object: ApiObject | undefined): void {
    this.round++;
    if (this.round > 1 && !isDeepEqual(object, this.#output)) this.changed();
  }

  /** Nobody is asked for the first time in the second round. */
  isTurnOf(hook: Hook): boolean {
    return this.round === 1 || this.#again.delete(hook);
  }

  changed(): void {
    for (const hook of this.#waiting) this.#again.add(hook);
    this.#waiting = new Set();
  }

  asked(hook: Hook): void {
    if (hook.isReinvoked) this.#waiting.add(hook);
  }

  end(object: ApiObject | undefined): void {
    this.#output = object === undefined ? undefined : cloneJson(object);
  }
}

async function mutate(
  env: AdmissionEnv,
  desk: WebhookDesk,
  courses: WeakMap<AdmissionRequest, Course>,
  candidates: readonly Candidate[],
  request: AdmissionRequest,
): Promise<void | 'again'> {
  let course = courses.get(request);
  if (course === undefined) courses.set(request, (course = new Course()));
  course.begin(request.object);
  const selection = new Selection(env.objects, request);
  let isChanged = false;
  for (const candidate of candidates) {
    if (!(await selection.covers(candidate.hook)) || !course.isTurnOf(candidate.hook)) continue;
    if (await askOne(env, desk, candidate, request, course.round - 1)) {
      course.changed();
      isChanged = true;
    }
    course.asked(candidate.hook);
  }
  if (!isChanged) return undefined;
  course.end(request.object);
  return 'again';
}

/** Whether it changed the object. */
async function askOne(env: AdmissionEnv, desk: WebhookDesk, candidate: Candidate, request: AdmissionRequest, round: number): Promise<boolean> {
  const { object, live } = request;
  const trace = traceOf(request, candidate, round, env.brand);
  let isChanged = false;
  try {
    const shown = object === undefined ? undefined : await lower(object, candidate.form);
    const oldObject = live === undefined ? undefined : await lower(live, candidate.form);
    const answered = await desk.ask(candidate, request, { object: shown, oldObject }, async ({ patch }, help) => {
      if (patch.length === 0) return true;
      isChanged = await changeObject(request, candidate, { patch, shown, help }, env.brand);
      trace.patched(patch);
      return true;
    });
    if (answered === undefined) trace.failedOpen();
  } finally {
    trace.mutated(isChanged);
  }
  return isChanged;
}
