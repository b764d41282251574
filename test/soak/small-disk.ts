import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The gaps that large ones leave are filled by small ones. */
const PIECES = [4_194_304, 65_536, 4_096];

/** A disk that can be filled without harm, where this user may mount one; else a folder. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'orch-soak-'));
  /** Why it cannot be filled; undefined: it can. */
  readonly cannotFill: string | undefined;

  constructor(size: string) {
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', this.folder], { encoding: 'utf8' });
    this.cannotFill = status === 0 ? undefined : `no small disk can be mounted here (${(stderr ?? '').trim()})`;
  }

  /** Others may be writing meanwhile. */
  fill(): void {
    for (const bytes of PIECES) {
      try {
        for (;;) appendFileSync(this.#ballast, Buffer.alloc(bytes));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause;
      }
    }
  }

  makeRoom(): void {
    rmSync(this.#ballast, { force: true });
  }

  remove(): void {
    if (this.cannotFill === undefined) spawnSync('umount', [this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }
}
