import { failureStack, type Log } from '#base';

/**
 * Lets the process outlive a failure that nobody awaited, which is a fault of this program in the request or the work that failed: it is logged, and all
 * others go on. For a process of its own; a library leaves that to its program.
 */
export function outliveFaults(log: Log, program: Pick<NodeJS.Process, 'on'> = process): void {
  program.on('unhandledRejection', (cause) => log.error('a failure that nobody awaited: this is a fault of the server, please report it', { error: failureStack(cause) }));
}
