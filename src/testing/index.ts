export {
  startTestServer,
  TEST_TOKENS,
  type PatchForm,
  type TestAnswer,
  type TestServer,
  type TestServerOptions,
} from './test-server.ts';
export type { TestJson } from './test-json.ts';
export type { TestClock } from './test-clock.ts';
export type { TestWatch } from './test-watch.ts';
export { TurnedClock } from './turned-clock.ts';
