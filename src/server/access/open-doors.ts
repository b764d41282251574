import { silentLog, type Log } from '#base';
import { withoutAnswers } from './without-answers.ts';

/**
 * Weaknesses that Kubernetes leaves open for compatibility. Each is closed unless it is opened; the first two are what kube-apiserver
 * answers differently, so the dialect `kubernetes` has them open unless they are closed. One more, proxies to this machine, is
 * `NodeOptions.mayProxyToLocal`.
 */
export interface OpenDoors {
  /** Whoever may write services may give them addresses from outside, and with them take what others send there. */
  readonly serviceExternalIPs?: boolean;
  /** Whoever may write endpoints may lead their services to pods of other namespaces. */
  readonly foreignEndpoints?: boolean;
  /** Containers may ask for all rights on their node. Default false in both dialects, as in kube-apiserver. */
  readonly privilegedContainers?: boolean;
  /** What webhooks answer may stand in the log: whoever chooses their address reads there what others say. Default false in both dialects. */
  readonly webhookAnswersInLogs?: boolean;
}

/** The log that the server writes to. */
export const logOf = (log: Log | undefined, { webhookAnswersInLogs = false }: OpenDoors): Log =>
  log === undefined ? silentLog : webhookAnswersInLogs ? log : withoutAnswers(log);
