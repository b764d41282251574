import { failureText } from '#base';

/** Why a delivery failed of which a part arrived, or is counted as lost already: only so many of its events are yet to be counted. */
export class PartLost extends Error {
  readonly count: number;

  constructor(count: number, cause: unknown) {
    super(failureText(cause), { cause });
    this.count = count;
  }
}
