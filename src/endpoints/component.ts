/** A part of the system, asked at this moment. */
export interface Component {
  readonly name: string;
  /** undefined: well. Otherwise what is wrong. */
  check(): Promise<string | undefined>;
}
