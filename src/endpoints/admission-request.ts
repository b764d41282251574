import type { AdmissionRequest, Operation } from '#admission';
import type { ApiObject, Prerequisite } from '#api';
import { admissionOptions, type OperationPlan } from './admission-options.ts';
import { namespaceOf } from './object-place.ts';
import type { VerbContext } from './verb-context.ts';

/**
 * What admission is asked about a request. `prerequisites`: gets those that plugins make the creation of the object depend on; where it is absent,
 * nothing is created that could depend on any.
 */
export const admissionRequest = (
  context: VerbContext,
  plan: OperationPlan,
  object: ApiObject | undefined,
  live: ApiObject | undefined,
  prerequisites?: Prerequisite[],
): AdmissionRequest => new PlannedAdmission(context, plan, object, live, prerequisites);

/** A class: two instances are created per write, and most plugins read few of the members. */
class PlannedAdmission implements AdmissionRequest {
  readonly operation: Operation;
  readonly resource: AdmissionRequest['resource'];
  readonly served: AdmissionRequest['served'];
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly nameInPath: string;
  readonly user: AdmissionRequest['user'];
  readonly dryRun: boolean;
  readonly live: ApiObject | undefined;
  object: ApiObject | undefined;
  readonly #context: VerbContext;
  readonly #plan: OperationPlan;
  readonly #prerequisites: Prerequisite[] | undefined;

  constructor(context: VerbContext, plan: OperationPlan, object: ApiObject | undefined, live: ApiObject | undefined, prerequisites?: Prerequisite[]) {
    const { route, request } = context;
    const { resource, key } = route;
    this.operation = plan.operation === 'UPDATE' && live === undefined ? 'CREATE' : plan.operation;
    this.resource = resource;
    this.served = route.served;
    this.subresource = route.subresource;
    this.namespace = namespaceOf(resource, key.name === '' ? { ...key, name: object?.metadata.name ?? '' } : key);
    this.name = key.name === '' ? (object?.metadata.name ?? '') : key.name;
    this.nameInPath = key.name;
    this.user = request.user;
    this.dryRun = plan.dryRun;
    this.live = live;
    this.object = object;
    this.#context = context;
    this.#plan = plan;
    this.#prerequisites = prerequisites;
  }

  get options(): AdmissionRequest['options'] {
    return admissionOptions(this.operation, this.#plan, this.#context.env.catalog.brand);
  }

  get signal(): AbortSignal {
    return this.#context.request.signal;
  }

  get deadlineAt(): number | undefined {
    return this.#context.request.deadlineAt;
  }

  annotate(key: string, value: string): void {
    this.#context.request.annotate(key, value);
  }

  warn(text: string): void {
    this.#context.request.warn(text);
  }

  waitedForWebhooks(ms: number): void {
    this.#context.request.waitedForWebhooks(ms);
  }

  onlyWhile(prerequisite: Prerequisite): void {
    this.#prerequisites?.push(prerequisite);
  }
}
