import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Loaded by the server before its own program: its time of day is as far off as a file says, which is read again at a signal. */
const PROGRAM = (file: string): string => `
import { readFileSync } from 'node:fs';
const RealDate = Date;
let offsetMs = 0;
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};
process.on('SIGUSR2', () => (offsetMs = Number(readFileSync(${JSON.stringify(file)}, 'utf8'))));
`;

/** The clock of a server process that can be put forward and back, as an administrator or a time service does it. */
export class SteppedClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'orch-clock-'));
  readonly #file = join(this.#folder, 'offset');

  constructor() {
    writeFileSync(join(this.#folder, 'clock.mjs'), PROGRAM(this.#file));
  }

  /** What a process is started with, in its environment. */
  get nodeOptions(): string {
    return `--import ${join(this.#folder, 'clock.mjs')}`;
  }

  /** From now on the clock is so far from the real one. */
  async step(pid: number, offsetMs: number): Promise<void> {
    writeFileSync(this.#file, String(offsetMs));
    process.kill(pid, 'SIGUSR2');
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
