import type { Terminal } from '../terminal.ts';
import { notifyReady } from './notify-ready.ts';

/** Tells those who wait for it that the server serves: the user, in these words, and systemd. */
export function tellStarted(words: string, terminal: Pick<Terminal, 'out' | 'err' | 'env'>): void {
  terminal.out(words);
  void notifyReady(terminal);
}
