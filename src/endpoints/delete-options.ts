import { exactNumber } from '#base';
import { ApiError, FieldErrors, invalid, withoutReason } from '#errors';
import { DeleteOptions, type Propagation } from '#api';
import type { DeleteOrder } from '#registry';
import { formatOfBody } from './decode-body.ts';
import { asksForDryRun, readBoolean, readDryRun, readInteger } from './options.ts';
import type { VerbContext } from './verb-context.ts';

const PROPAGATIONS: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** Reads the options of a delete, from its body where there is one, else from its query. Throws `Invalid`. @spec 4.3 */
export async function readDeleteOrder(context: VerbContext): Promise<RequestedDelete> {
  const body = await context.request.body(context.env.limits.maxBodyBytes);
  const options = body.byteLength > 0 ? decodeOptions(context, body) : optionsOfQuery(context.request.query);
  checkDeleteOptions(context, options);
  return orderOf(context, options);
}

export interface RequestedDelete {
  readonly order: DeleteOrder;
  readonly dryRun: boolean;
}

/** Throws `Invalid` where options contradict each other or have unknown values. */
export function checkDeleteOptions({ env }: VerbContext, { dryRun, propagationPolicy, orphanDependents }: Options): void {
  const at = new FieldErrors();
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    at.child('propagationPolicy').invalid(propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set');
  }
  if (propagationPolicy !== undefined && !PROPAGATIONS.includes(propagationPolicy)) {
    at.child('propagationPolicy').notSupported(propagationPolicy, [...PROPAGATIONS, 'nil']);
  }
  readDryRun(dryRun ?? [], at);
  if (!at.isEmpty) throw invalid({ group: env.catalog.brand.group('meta'), kind: 'DeleteOptions' }, '', at.causes);
}

/** Valid options as an order to the registry. */
export function orderOf(context: VerbContext, options: Options): RequestedDelete {
  const { propagationPolicy: propagation, orphanDependents } = options;
  const { resource, served } = context.route;
  const isPlain = propagation === undefined && orphanDependents === undefined;
  if (isPlain && resource.kind.plainDeleteWarning !== undefined) context.request.warn(resource.kind.plainDeleteWarning);
  const { uid, resourceVersion } = options.preconditions ?? {};
  return {
    dryRun: asksForDryRun(options.dryRun ?? []),
    order: {
      ...(options.gracePeriodSeconds === undefined ? {} : { graceSeconds: wholeTime(exactNumber(options.gracePeriodSeconds)) }),
      ...(propagation === undefined ? {} : { propagation: propagation as Propagation }),
      ...(orphanDependents === undefined ? {} : { orphanDependents }),
      ...(served.cascade === undefined ? {} : { cascade: served.cascade }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

/** A negative grace period counts as one second, the shortest that is not immediate. */
const wholeTime = (seconds: number): number => (seconds < 0 ? 1 : seconds);

type Options = InstanceType<typeof DeleteOptions>;

function decodeOptions(context: VerbContext, body: Uint8Array): Options {
  const { env } = context;
  const format = formatOfBody(context);
  const expected = { apiVersion: `${env.catalog.brand.group('meta')}/v1`, kind: 'DeleteOptions', type: DeleteOptions.type, isOptions: true };
  try {
    return env.codecs[format].decode(expected, body);
  } catch (cause) {
    // kube-apiserver does not report unreadable options as `BadRequest`.
    throw cause instanceof ApiError ? withoutReason(cause.message, cause) : cause;
  }
}

function optionsOfQuery(query: URLSearchParams): Options {
  const grace = readInteger(query, 'gracePeriodSeconds');
  const orphan = readBoolean(query, 'orphanDependents');
  const policy = query.get('propagationPolicy');
  const dryRun = query.getAll('dryRun');
  const uid = query.get('uid');
  const resourceVersion = query.get('resourceVersion');
  return {
    dryRun,
    // An empty value counts as absent.
    preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
  };
}

