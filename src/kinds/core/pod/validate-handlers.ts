import { checkHttpHeaderName, checkPortName, checkPortNumber, report } from '#api';
import type { FieldErrors } from '#errors';
import type { ExecAction, GRPCAction, HTTPGetAction, TCPSocketAction } from './handlers.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Probe } from './probe.ts';
import { requireNotNegative, requireText } from '../../value-checks.ts';

const SCHEMES = ['HTTP', 'HTTPS'];

interface Handlers {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly grpc?: GRPCAction;
}

/** Checks that there is exactly one handler; of several, only the first is validated. */
function validateHandlers({ exec, httpGet, tcpSocket, grpc }: Handlers, at: FieldErrors): void {
  let count = 0;
  const visit = <T>(name: string, handler: T | undefined, validate: (handler: T, at: FieldErrors) => void): void => {
    if (handler === undefined) return;
    if (count > 0) at.child(name).forbidden('may not specify more than 1 handler type');
    else validate(handler, at.child(name));
    count++;
  };
  visit('exec', exec, ({ command }, here) => {
    if ((command ?? []).length === 0) here.child('command').required();
  });
  visit('httpGet', httpGet, validateHttpGet);
  visit('tcpSocket', tcpSocket, ({ port }, here) => validatePort(port, here.child('port')));
  visit('grpc', grpc, ({ port }, here) => validatePort(port, here.child('port')));
  if (count === 0) at.required('must specify a handler type');
}

function validateHttpGet({ path, port, scheme, httpHeaders }: HTTPGetAction, at: FieldErrors): void {
  requireText(path, at.child('path'));
  validatePort(port, at.child('port'));
  if (!SCHEMES.includes(scheme ?? '')) at.child('scheme').notSupported(scheme ?? '', SCHEMES);
  for (const { name } of httpHeaders ?? []) report(at.child('httpHeaders'), name, checkHttpHeaderName(name));
}

/** A port is a number, or the name of a port of the container. */
function validatePort(port: number | string, at: FieldErrors): void {
  report(at, port, typeof port === 'number' ? checkPortNumber(port) : checkPortName(port));
}

export function validateProbe(probe: Probe, at: FieldErrors): void {
  validateHandlers(probe, at);
  for (const name of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const) {
    requireNotNegative(probe[name], at.child(name));
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) at.child('terminationGracePeriodSeconds').invalid(grace, 'must be greater than 0');
}

/** For liveness and startup probes, which restart a container: one success must be enough. */
export function requireOneSuccess({ successThreshold = 0 }: Probe, at: FieldErrors): void {
  if (successThreshold !== 1) at.child('successThreshold').invalid(successThreshold, 'must be 1');
}

/** For readiness probes, which terminate nothing: a grace period makes no sense. */
export function refuseGrace({ terminationGracePeriodSeconds: grace }: Probe, at: FieldErrors): void {
  if (grace !== undefined) at.child('terminationGracePeriodSeconds').invalid(grace, 'must not be set for readinessProbes');
}

export function validateLifecycle({ postStart, preStop }: Lifecycle, at: FieldErrors): void {
  if (postStart) validateHandlers(postStart, at.child('postStart'));
  if (preStop) validateHandlers(preStop, at.child('preStop'));
}
