import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { constants } from 'node:http2';
import { StorageFailure, type Engine } from '#storage';
import { NO_ETCD } from './etcd-process.ts';
import { FeedRecorder } from './feed-recorder.ts';
import { checkFeed, NearAndFar } from './near-and-far.ts';
import { StreamProxy, TXN, WATCH, type Fate } from './stream-proxy.ts';

/** Longer than anything here may take. */
const TIMEOUT_MS = 90_000;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Ways in which the answer to a write that was done does not arrive. */
const LOSSES: Readonly<Record<string, (proxy: StreamProxy) => Fate>> = {
  'the call is given up': () => ({ answer: (_piece, stream) => (stream.close(constants.NGHTTP2_CANCEL), 'end') }),
  'the call ends without a word': () => ({ answer: (_piece, stream) => (stream.close(constants.NGHTTP2_NO_ERROR), 'end') }),
  'the connection breaks': (proxy) => ({ answer: () => (proxy.cutConnections(), 'end') }),
  'half of it comes': () => ({ answer: (piece) => piece.subarray(0, piece.length - 2) }),
  'none of it comes, and all is said to be well': () => ({ answer: () => undefined }),
  'it comes, and then that the member is away': () => ({ trailers: { 'grpc-status': '14', 'grpc-message': 'away' } }),
  'it is no message': () => ({ answer: (piece) => Buffer.from(piece).fill(0xff, 5) }),
};

describe('calls whose answers are lost on a connection to etcd that lives', { skip: NO_ETCD, timeout: TIMEOUT_MS }, () => {
  let world: NearAndFar<StreamProxy>;
  let proxy: StreamProxy;
  let near: Engine;
  let far: Engine;

  beforeEach(async () => {
    world = await NearAndFar.open((target) => StreamProxy.to(target));
    ({ proxy, near, far } = world);
  });
  afterEach(() => world.close());

  for (const [name, lose] of Object.entries(LOSSES)) {
    it(`a write, ${name}: it is neither said to be done nor not to be, nor done twice`, async () => {
      const before = await near.head();
      let sent = 0;
      proxy.fate = (path) => (path === TXN && sent++ === 0 ? lose(proxy) : undefined);
      await assert.rejects(far.commit({ key: '/a', expect: 0, value: bytes('x') }), (error) => error instanceof StorageFailure && error.code === 'unavailable' && error.isUnconfirmed);
      assert.equal(sent, 1);
      assert.equal(await near.head(), before + 1);
      // Whoever looks again finds it.
      assert.equal((await far.get('/a'))?.revision, before + 1);
    });
  }

  it('a watch that falls silent is opened anew: nothing is missed, and nothing told twice', async () => {
    const recorder = new FeedRecorder(far, '/w/', 1);
    await recorder.reached(await world.write(3));
    let opened = 0;
    // That it was opened is told, and then nothing more.
    let told = 0;
    proxy.fate = (path) => (path === WATCH && opened++ === 0 ? { answer: (piece) => (told++ === 0 ? piece : undefined) } : undefined);
    proxy.cutConnections();
    await proxy.connected();
    await far.head();
    // Nobody asks anything of this engine any more.
    await checkFeed(recorder, await world.write(5));
    assert.equal(opened, 2);
  });

  it('a watch of which not even the opening is answered is opened anew', async () => {
    const recorder = new FeedRecorder(far, '/w/', 1);
    await recorder.reached(await world.write(3));
    let opened = 0;
    proxy.fate = (path) => (path === WATCH ? { isSwallowed: opened++ === 0 } : undefined);
    proxy.cutConnections();
    await checkFeed(recorder, await world.write(5));
    assert.equal(opened, 2);
  });

  it('a connection that is accepted and never spoken on is given up, and the next one carries everything', async () => {
    const recorder = new FeedRecorder(far, '/w/', 1);
    await recorder.reached(await world.write(3));
    proxy.isMute = true;
    proxy.cutConnections();
    await proxy.connected();
    proxy.isMute = false;
    await checkFeed(recorder, await world.write(5));
    assert.equal(await far.head(), await near.head());
  });
});
