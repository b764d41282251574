import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkStore } from '#server';
import { ApiClient } from '../model/api-client.ts';
import { play } from '../model/play.ts';
import { startServerProcess } from '../support/server-process.ts';
import { WebhookServer } from '../support/webhook-server.ts';
import { complaintsIn } from './complaints.ts';
import { MemorySamples } from './memory-samples.ts';
import { SmallDisk } from './small-disk.ts';
import { SoakWorld } from './soak-world.ts';
import { SteppedClock } from './stepped-clock.ts';

/** 1 in CI; 10 or more before a release. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 1);
const SEED = Number(process.env['FIRST_SEED'] ?? Math.floor(Math.random() * 1_000_000));
const MAX_GROWTH_MIB = 96;
const MAX_MIB = 512;
/** Histories in namespaces of their own, side by side. */
const SIDE_BY_SIDE = 2;
const LEDGER = '/api/v1/namespaces/default/configmaps';

/** Registers the webhook for everything that the histories write. */
const registration = (clientConfig: object): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'soak' },
  webhooks: (['Ignore', 'Fail'] as const).map((failurePolicy) => ({
    name: `${failurePolicy.toLowerCase()}.soak.example.com`,
    clientConfig,
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: failurePolicy === 'Fail' ? ['UPDATE'] : ['*'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { soak: 'yes' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 2,
    failurePolicy,
  })),
});

/** Asks until it is done: the disk may be full just now. */
async function surely(client: ApiClient, path: string, body: object): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const { status } = await client.send('POST', path, body).catch(() => ({ status: 0 }));
    if (status === 201 || status === 409) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`POST ${path} does not succeed any more`);
}

describe(`a server under mixed traffic with faults, ${MINUTES} minutes, seed ${SEED}`, () => {
  it('loses nothing, stays in its bounds and complains only of the faults', async () => {
    const disk = new SmallDisk('96m');
    if (disk.cannotFill !== undefined) console.log(`skipped: full disks, ${disk.cannotFill}`);
    const store = `lmdb://${disk.folder}/store`;
    const flags = ['--dialect=kubernetes', `--store=${store}`, '--controllers=*,-root-ca-cert-publisher', '--log-requests'];
    const clock = new SteppedClock();
    process.env['NODE_OPTIONS'] = clock.nodeOptions;
    const server = await startServerProcess({ flags }).finally(() => delete process.env['NODE_OPTIONS']);
    const webhooks = await WebhookServer.start();
    const world = new SoakWorld(server, disk, clock);
    const client = new ApiClient(() => server.url);
    const memory = new MemorySamples(server.pid);
    const life = { isOver: false };
    const sampling = setInterval(() => (life.isOver = !memory.take()), 500);
    const ledger: string[] = [];
    let histories = 0;
    try {
      await surely(client, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', registration(webhooks.at('/soak', world.answer)));
      const until = Date.now() + MINUTES * 60_000;
      const lane = async (number: number): Promise<void> => {
        for (let round = 0; !life.isOver && Date.now() < until; round++) {
          const namespace = `soak-${number}-${round}`;
          await surely(client, '/api/v1/namespaces', { metadata: { name: namespace, labels: { soak: 'yes' } } });
          const { problems } = await play({ world: number === 0 ? world : { url: () => world.url(), disturb: async () => {} }, seed: SEED + 2 * round + number, namespace });
          assert.deepEqual(problems.slice(0, 10), [], `seed ${SEED + 2 * round + number}`);
          histories++;
          await surely(client, LEDGER, { metadata: { name: namespace } });
          ledger.push(namespace);
          await client.send('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
          webhooks.heard.length = 0;
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, (_, number) => lane(number))).catch((cause: unknown) => {
        if (!life.isOver) throw cause;
      });

      if (life.isOver) assert.fail(`the server ended with ${await server.stop()} after ${JSON.stringify(world.counts)}:\n${server.output().slice(-4_000)}`);
      const { body } = await client.send('GET', LEDGER);
      const kept = new Set((body.items as readonly { readonly metadata: { readonly name: string } }[]).map(({ metadata }) => metadata.name));
      assert.deepEqual(ledger.filter((name) => !kept.has(name)), [], 'everything acknowledged is there');
      const { early, late } = memory.grown();
      console.log(`${histories} histories; ${JSON.stringify(world.counts)}; ${early.toFixed()} MiB early, ${late.toFixed()} MiB late`);
      assert.ok(late < MAX_MIB && late - early < MAX_GROWTH_MIB, `memory grew from ${early} to ${late} MiB`);
      assert.equal(await server.stop(), 0);
      const { problems, problemCount } = await checkStore(store, () => {});
      assert.deepEqual([problemCount, problems], [0, []]);
      const output = server.output();
      assert.doesNotMatch(output, /unhandled|uncaught|(?:admin|alice|bob)token/i);
      assert.deepEqual(complaintsIn(output).slice(0, 5), []);
    } finally {
      clearInterval(sampling);
      client.close();
      await server.stop('SIGKILL');
      await webhooks.close();
      disk.remove();
      clock.remove();
    }
  });
});
