import { ApiClient } from './api-client.ts';
import { check } from './check.ts';
import { Follower } from './follower.ts';
import { Recorder, type Selected } from './history.ts';
import type { Problem } from './facts.ts';
import { Random } from './random.ts';
import { Writer } from './writer.ts';

/** What the traffic goes to, and what can be done to it meanwhile. */
export interface World {
  /** Where a client of that number finds its server now. */
  url(client: number): string;
  /** Something goes wrong. Resolves when it is over. */
  disturb(random: Random, recorder: Recorder): Promise<void>;
}

export interface PlayOptions {
  readonly world: World;
  readonly seed: number;
  /** Of a namespace where nothing was before. */
  readonly namespace?: string;
  readonly steps?: number;
  readonly disturbances?: number;
  /** How long the last events may take. Default: long enough for a machine that does much else. */
  readonly quietMs?: number;
}

const KEYS = ['k0', 'k1', 'k2', 'k3', 'k4'];
const WRITERS = 4;
/** What followers ask for, and whether they begin with a state. */
const FOLLOWERS: readonly (readonly [Selected | undefined, boolean])[] = [
  [undefined, false],
  [undefined, false],
  [undefined, true],
  [{ ending: 'a' }, false],
  [{ ending: 'b' }, true],
  [{ key: 'k1' }, false],
];
/** For the last events to come, on a machine that does much else. Who is done sooner does not wait. */
const QUIET_MS = 60_000;

/** Mixed traffic in a namespace of its own until everybody has done their steps; resolves to what was wrong, and how much there was to judge. */
export async function play({ world, seed, namespace = 'default', steps = 25, disturbances = 3, quietMs = QUIET_MS }: PlayOptions): Promise<{ readonly problems: readonly Problem[]; readonly recorder: Recorder }> {
  const recorder = new Recorder();
  const random = new Random(seed);
  const odd: Problem[] = [];
  const unexpected = (what: string): void => void odd.push(what);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const clients: ApiClient[] = [];
  const newClient = (): ApiClient => {
    const number = clients.length;
    const client = new ApiClient(() => world.url(number));
    clients.push(client);
    return client;
  };
  let number = 0;
  const newNumber = (): number => ++number;
  const own = (i: number): Random => new Random(seed * 100 + i);
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer({ client: newClient(), random: own(i), recorder, path, keys: KEYS, newNumber, unexpected }));
  const followers = FOLLOWERS.map(([only, startsWithState], i) => ({
    only,
    follower: new Follower({ client: newClient(), random: own(10 + i), recorder, path, startsWithState, unexpected, ...(only === undefined ? {} : { only }) }),
  }));
  const running = followers.map(({ follower }) => follower.run());

  const traffic = { isOver: false, steps: 0 };
  const leaving = (async () => {
    while (!traffic.isOver) {
      await new Promise((resolve) => setTimeout(resolve, 5 + random.int(40)));
      random.pick(followers).follower.leave();
    }
  })();
  const disturbing = (async () => {
    // By steps, not by time: a slow machine would be disturbed before there is anything to lose.
    const moments = Array.from({ length: disturbances }, () => random.int(WRITERS * steps)).sort((one, other) => one - other);
    for (const moment of moments) {
      while (traffic.steps < moment) await new Promise((resolve) => setTimeout(resolve, 1));
      if (traffic.isOver) break;
      await world.disturb(random, recorder);
    }
  })();
  await Promise.all(
    writers.map(async (writer) => {
      for (let i = 0; i < steps; i++, traffic.steps++) await writer.step();
    }),
  );
  traffic.isOver = true;
  await Promise.all([leaving, disturbing]);

  const lastOf = new Map<string, number>();
  for (const key of KEYS) lastOf.set(key, await writers[0]!.touch(key));
  const last = Math.max(...lastOf.values());
  await Promise.all(followers.map(({ only, follower }) => follower.reach(only?.key === undefined ? last : lastOf.get(only.key)!, quietMs)));
  for (const { follower } of followers) follower.stop();
  await Promise.all(running);
  for (const client of clients) client.close();
  return { problems: [...odd, ...check(recorder)], recorder };
}
