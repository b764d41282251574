import { formatPath, type Path } from '../fieldpath/path.ts';

/** A list whose items have no identity, or not a unique one: keys are missing or appear twice. */
export class StructureFailure extends Error {
  override readonly name = 'StructureFailure';

  constructor(path: Path, why: string) {
    super(`${path.length === 0 ? '.' : formatPath(path)}: ${why}`);
  }
}
