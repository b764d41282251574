import type { Dialect } from '#api';

/** What a user reads when the server is up. */
export function connectHelp(options: {
  readonly url: string;
  readonly kubeconfig: string;
  readonly dialect: Dialect;
  readonly startedMs: number;
}): string {
  const { url, kubeconfig, dialect, startedMs } = options;
  const remark = dialect === 'kubernetes' ? '' : '   (start with --dialect=kubernetes for everything kubectl can do)';
  return [
    `orch serves ${url} (${dialect} names), ready after ${startedMs} ms`,
    '',
    'Connect:',
    `  npx orch get namespaces --kubeconfig ${kubeconfig}`,
    `  kubectl --kubeconfig ${kubeconfig} get namespaces${remark}`,
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}
