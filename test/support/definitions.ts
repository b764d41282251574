// Definitions of custom resources are served a moment after they were made.
import assert from 'node:assert/strict';
import type { TestJson, TestServer } from '#testing';

export const hasCondition = ({ status }: TestJson, type: string): boolean =>
  status?.conditions?.some((one: TestJson) => one.type === type && one.status === 'True') ?? false;

/** The definition at `path`, once it is established and the server serves it as it is declared now. */
export const established = (server: TestServer, path: string): Promise<TestJson> => inState(server, path, (definition) => hasCondition(definition, 'Established'));

/** The definition at `path`, once it is in a state and all of the server knows of that. */
export async function inState(server: TestServer, path: string, isReached: (definition: TestJson) => boolean): Promise<TestJson> {
  const at = path.lastIndexOf('/');
  const watch = await server.watch(`${path.slice(0, at)}?watch=1&fieldSelector=metadata.name%3D${path.slice(at + 1)}`);
  let definition: TestJson;
  do definition = (await watch.next(1))[0].object;
  while (!isReached(definition));
  await watch.stop();
  // A write is answered once everything in the server that follows definitions has seen it.
  const seen = await server.patch('merge', path, { metadata: { annotations: { seen: definition.metadata.resourceVersion } } });
  assert.equal(seen.status, 200, seen.text);
  return definition;
}
