import { clearTimeout, setTimeout } from '#base';
import type { Terminal } from '../terminal.ts';

/** A start that takes longer is told why. */
const AFTER_MS = 2_000;

/** The same start. Where the members of etcd do not let it come to an end, one line on standard error says which are tried. */
export async function tellingWaiting<T>(store: string, { err }: Pick<Terminal, 'err'>, start: Promise<T>): Promise<T> {
  const [, members] = /^etcd:\/\/([^?]*)/.exec(store) ?? [];
  if (members === undefined) return start;
  const timer = setTimeout(() => err(`orch: still waiting for etcd, at ${members.replaceAll(',', ', ')}\n`), AFTER_MS);
  try {
    return await start;
  } finally {
    clearTimeout(timer);
  }
}
