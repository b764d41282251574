import { type status, Server, ServerCredentials, type sendUnaryData, type ServerDuplexStream, type ServerUnaryCall } from '@grpc/grpc-js';

/** What a scripted member answers: bytes, or a status of gRPC, with words of its own where these matter; undefined: it never answers. */
type Answer = Buffer | status | { readonly code: status; readonly details: string } | undefined;

export type Script = (path: string, request: Buffer) => Answer | Promise<Answer>;

export const LEASE = '/etcdserverpb.Lease/LeaseGrant';

export type Stream = ServerDuplexStream<Buffer, Buffer>;

/** Something that speaks the protocol of etcd as a test says, where no real one would. It tells watches nothing unless the test does. */
export class ScriptedEtcd {
  readonly #server = new Server();
  /** Those that nobody has waited for. */
  readonly #watches: Stream[] = [];
  #watched: ((stream: Stream) => void) | undefined;
  script: Script;
  address = '';

  private constructor(script: Script) {
    this.script = script;
    const bytes = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
    const unary = (path: string) => ({ path, requestStream: false, responseStream: false, ...bytes });
    const paths = { range: '/etcdserverpb.KV/Range', txn: '/etcdserverpb.KV/Txn', compact: '/etcdserverpb.KV/Compact', lease: LEASE };
    const definition = { ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, unary(path)])), watch: { path: '/etcdserverpb.Watch/Watch', requestStream: true, responseStream: true, ...bytes } };
    const answer = (path: string) => async (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      const told = await this.script(path, call.request);
      if (told === undefined) return;
      if (Buffer.isBuffer(told)) done(null, told);
      else done(typeof told === 'number' ? { code: told, details: 'as the test says' } : told);
    };
    this.#server.addService(definition, {
      ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, answer(path)])),
      watch: (stream: Stream) => {
        stream.on('error', () => {});
        if (this.#watched === undefined) this.#watches.push(stream);
        else this.#watched(stream);
        this.#watched = undefined;
      },
    });
  }

  static async start(script: Script, at = '127.0.0.1:0'): Promise<ScriptedEtcd> {
    const etcd = new ScriptedEtcd(script);
    const port = await new Promise<number>((resolve, reject) =>
      etcd.#server.bindAsync(at, ServerCredentials.createInsecure(), (error, bound) => (error === null ? resolve(bound) : reject(error))),
    );
    etcd.address = at.replace(/\d+$/, String(port));
    return etcd;
  }

  /** The next watch that is opened here. */
  async watched(): Promise<Stream> {
    return this.#watches.shift() ?? new Promise((resolve) => void (this.#watched = resolve));
  }

  close(): void {
    this.#server.forceShutdown();
  }
}

const same = (bytes: Buffer): Buffer => bytes;
