import type { Dialect } from '#api';

/** The text printed when the server is ready. */
export function connectHelp(options: {
  readonly url: string;
  /** Of plain HTTP; undefined: it is not spoken. */
  readonly insecurePort: number | undefined;
  readonly kubeconfig: string;
  readonly dialect: Dialect;
  readonly startedMs: number;
}): string {
  const { url, insecurePort, kubeconfig, dialect, startedMs } = options;
  const remark = dialect === 'kubernetes' ? '' : '   (start with --dialect=kubernetes for everything kubectl can do)';
  return [
    `orch serves ${url} (${dialect} names), ready after ${startedMs} ms`,
    ...(insecurePort === undefined ? [] : [`and http://127.0.0.1:${insecurePort}, without encryption`]),
    '',
    'Connect:',
    `  npx orch get namespaces --kubeconfig ${kubeconfig}`,
    `  kubectl --kubeconfig ${kubeconfig} get namespaces${remark}`,
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}
