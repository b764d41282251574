/** A component of the system, whose health is checked on each request. */
export interface Component {
  readonly name: string;
  /** Resolves to undefined when the component is healthy, else to what is wrong. */
  check(): Promise<string | undefined>;
}
