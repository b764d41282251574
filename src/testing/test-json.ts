/** JSON of any shape: tests look where they expect something. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test that looks in the wrong place is to fail there, not to be narrowed
export type TestJson = any;
