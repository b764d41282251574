import type { Dialect } from '#api';

/** The text printed when the server is ready. */
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
