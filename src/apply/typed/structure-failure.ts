import { formatPath, type Path } from '../fieldpath/path.ts';

/** A value whose parts cannot be told apart: keys that are missing or appear twice. */
export class StructureFailure extends Error {
  override readonly name = 'StructureFailure';

  constructor(path: Path, why: string) {
    super(`${path.length === 0 ? '.' : formatPath(path)}: ${why}`);
  }
}
