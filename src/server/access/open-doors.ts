import { silentLog, type Log } from '#base';
import { unfailingLog } from '../unfailing-log.ts';
import { withoutAnswers } from './without-answers.ts';

/**
 * Weaknesses that Kubernetes leaves open for compatibility. Each is closed unless it is opened; the first two are what kube-apiserver
 * answers differently, so the dialect `kubernetes` has them open unless they are closed. One more, proxies to this machine, is
 * `NodeOptions.mayProxyToLocal`.
 */
export interface OpenDoors {
  /** Users that may write services may give them external IPs, and so intercept traffic to those addresses (CVE-2020-8554). */
  readonly serviceExternalIPs?: boolean;
  /** Users that may write endpoints may route services to pods of other namespaces. */
  readonly foreignEndpoints?: boolean;
  /** Containers may be privileged. Default false in both dialects, as in kube-apiserver. */
  readonly privilegedContainers?: boolean;
  /**
   * Responses of webhooks may be logged: a user who chooses a webhook's address could read responses of internal servers in the log. Default false in
   * both dialects.
   */
  readonly webhookAnswersInLogs?: boolean;
}

/** The log that the server writes to. */
export const logOf = (log: Log | undefined, { webhookAnswersInLogs = false }: OpenDoors): Log =>
  log === undefined ? silentLog : webhookAnswersInLogs ? unfailingLog(log) : withoutAnswers(unfailingLog(log));
