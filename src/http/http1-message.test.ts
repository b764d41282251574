import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Http1Message } from './http1-message.ts';

const message = (): Http1Message => new Http1Message(new Socket());
const streamed = async (source: Http1Message): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

describe('the body of a request over HTTP/1.1', () => {
  it('comes whole however it arrives, at once or as a stream', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40_000, size: 'max' }), { maxLength: 5 }), fc.nat(5), async (chunks, askedAfter) => {
        const source = message();
        const all = Buffer.concat(chunks);
        let taken: Uint8Array | undefined;
        let read: Promise<Buffer> | undefined;
        const ask = (): void => {
          taken = source.takeWhole();
          if (taken === undefined) read = streamed(source);
        };
        [...chunks, null].forEach((chunk, i) => {
          if (i === askedAfter) ask();
          source.push(chunk);
        });
        if (askedAfter > chunks.length) ask();
        assert.deepEqual(Buffer.from(taken ?? (await read) ?? []), all);
      }),
    );
  });

  it('is kept as long as it is small: then reading stops until somebody wants more', () => {
    const source = message();
    assert.equal(source.push(Buffer.alloc(60_000)), true);
    assert.equal(source.push(Buffer.alloc(60_000)), false);
    assert.equal(source.takeWhole(), undefined);
    assert.equal(source.readableLength, 120_000);
  });

  it('is left to the stream when it comes in very many pieces, which cost more than their bytes', () => {
    const source = message();
    for (let n = 0; n < 100; n++) assert.equal(source.push(Buffer.from('x')), true);
    assert.equal(source.readableLength, 100);
  });

  it('has ended for Node as well when it was kept', async () => {
    const source = message();
    source.push(Buffer.from('x'));
    source.push(null);
    assert.deepEqual(await streamed(source), Buffer.alloc(0));
    assert.equal(source.readableEnded, true);
  });
});
