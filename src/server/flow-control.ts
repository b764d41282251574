import type { Brand, ObjectAccess } from '#api';
import type { Clock, Log } from '#base';
import { FLOW_KINDS, FlowControl, flowControlPaths, flowControlStage, inFlightStage, type CountObjects, type FlowClasses } from '#flowcontrol';
import { DEFAULT_REQUEST_TIMEOUT_MS } from '#http';
import { SERVER_ITSELF, type Identified, type Next, type Reply, type Routed, type Stage } from '#request';
import { keepFlowObjects } from './bootstrap/make-flow-control.ts';
import { FlowSchemaStatus } from './flow-control-status.ts';
import { createLoopback } from './loopback.ts';
import type { Readiness } from './readiness.ts';
import type { ServingOptions } from './serving-options.ts';

/** Bounds on concurrent requests, and how they are shared. @spec 8 */
export interface FlowControlSettings {
  /** Priority levels and fair queues; else only the two limits. Default true. */
  readonly isFair?: boolean;
  /** Requests that only read. 0: any number, without priority levels. Default 400. */
  readonly maxReading?: number;
  /** Requests that change something. 0: any number, without priority levels. Default 200. */
  readonly maxChanging?: number;
}

/** API priority and fairness, assembled. */
export interface BuiltFlowControl {
  readonly stage: Stage<Identified>;
  /** Answers the debug endpoints; `undefined` for other paths. */
  readonly paths: (request: Routed) => Reply | undefined;
  /** Metrics by priority level and flow schema. Absent without priority levels. */
  readonly classes?: FlowClasses;
  /** Reads levels and schemas, and keeps them current until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
  /** Creates the mandatory and suggested objects, maintains them until the signal aborts, and maintains the status of flow schemas. */
  start(signal: AbortSignal): Promise<void>;
}

export interface FlowControlParts {
  readonly settings: { readonly flowControl: FlowControlSettings; readonly serving: Pick<ServingOptions, 'requestTimeoutMs'>; readonly clock: Clock; readonly log: Log };
  readonly brand: Brand;
  readonly objects: ObjectAccess;
  readonly readiness: Readiness;
  readonly countObjects: CountObjects;
  /** For requests of the server itself. Read on use: it is created after this. */
  readonly dispatch: Next<Identified>;
  /** Called for each request that is rejected. */
  readonly refused: (request: Identified) => void;
}

/** The part of the timeout of requests that one may spend in a queue. */
const WAITING_PART = 1 / 4;
const MAX_READING = 400;
const MAX_CHANGING = 200;

const PRODUCER = { name: SERVER_ITSELF.name, agent: 'api-priority-and-fairness-config-producer-v1' };
const CONSUMER = { name: SERVER_ITSELF.name, agent: 'api-priority-and-fairness-config-consumer-v1' };

/** Assembles flow control. Throws an `Error` where both limits leave priority levels nothing to share. */
export function buildFlowControl(parts: FlowControlParts): BuiltFlowControl {
  const { isFair = true, maxReading = MAX_READING, maxChanging = MAX_CHANGING } = parts.settings.flowControl;
  if (isFair) return buildFair(parts, maxReading + maxChanging);
  parts.readiness.without('poststarthook/priority-and-fairness-filter', 'poststarthook/priority-and-fairness-config-consumer');
  return {
    stage: inFlightStage({ reading: maxReading, changing: maxChanging }, parts.refused),
    paths: () => undefined,
    follow: async ({ aborted }) => void aborted,
    start: (signal) => keepObjects(parts, signal),
  };
}

function buildFair(parts: FlowControlParts, totalSeats: number): BuiltFlowControl {
  const { settings, objects, readiness, brand, dispatch, countObjects, refused } = parts;
  if (totalSeats <= 0) {
    throw new Error('--max-requests-inflight and --max-mutating-requests-inflight are both 0: priority levels have nothing to share; switch off --enable-priority-and-fairness');
  }
  const maxWaitMs = (settings.serving.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS) * WAITING_PART;
  const flow = new FlowControl({ totalSeats, maxWaitMs, clock: settings.clock, countObjects });
  const { classes } = flow;
  const status = new FlowSchemaStatus({ classes, brand, loopback: createLoopback(dispatch, CONSUMER), clock: settings.clock, log: settings.log });
  return {
    stage: flowControlStage(flow, refused),
    paths: flowControlPaths(classes),
    classes,
    async follow(signal) {
      await readiness.step('poststarthook/priority-and-fairness-filter', async () => {
        await readiness.step('poststarthook/priority-and-fairness-config-consumer', () => followClasses(objects, classes, status, signal));
      });
    },
    async start(signal) {
      await keepObjects(parts, signal);
      await status.start(signal);
    },
  };
}

const keepObjects = ({ settings, brand, objects, readiness, dispatch }: FlowControlParts, signal: AbortSignal): Promise<void> =>
  readiness.step('poststarthook/priority-and-fairness-config-producer', () =>
    keepFlowObjects({ ...settings, brand, objects, loopback: createLoopback(dispatch, PRODUCER) }, signal),
  );

async function followClasses(objects: ObjectAccess, classes: FlowClasses, status: FlowSchemaStatus, signal: AbortSignal): Promise<void> {
  await Promise.all(
    FLOW_KINDS.map((kind) =>
      objects.follow(
        { group: 'flowcontrol', kind },
        {
          put(object) {
            classes.put(kind, object);
            status.look();
          },
          remove({ name }) {
            classes.remove(kind, name);
            status.look();
          },
        },
        signal,
      ),
    ),
  );
}
