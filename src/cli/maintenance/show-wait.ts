import type { Terminal } from '../terminal.ts';

/** Says on standard error what is waited for. */
export const showWait = ({ err }: Pick<Terminal, 'err'>) => (message: string): void => err(`orch: ${message}\n`);
