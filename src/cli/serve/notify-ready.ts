import { spawn } from 'node:child_process';
import { failureText } from '#base';
import type { Terminal } from '../terminal.ts';

const PROGRAM = 'systemd-notify';

/**
 * Tells systemd that the server is ready, where it waits for that (`Type=notify`): what is started after the server then finds it serving. Node sends no
 * datagrams to sockets in the file system, so systemd's own program does, for which the unit says `NotifyAccess=all`. Where that fails, one line on
 * standard error says so: systemd would go on waiting. Resolves when all is said, and never rejects.
 *
 * @see sd_notify(3)
 */
export function notifyReady({ env, err }: Pick<Terminal, 'env' | 'err'>): Promise<void> {
  if (env['NOTIFY_SOCKET'] === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (failure?: string): void => {
      if (failure !== undefined) err(`orch: systemd was not told that the server is ready: ${PROGRAM} ${failure}\n`);
      resolve();
    };
    const told = spawn(PROGRAM, ['--ready'], { env, stdio: 'ignore' });
    told.once('error', (cause) => end(`cannot be run: ${failureText(cause)}`));
    told.once('exit', (code, signal) => end(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`));
  });
}
