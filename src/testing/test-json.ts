/** JSON of any shape: tests access the members they expect. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test that looks in the wrong place is to fail there, not to be narrowed
export type TestJson = any;
