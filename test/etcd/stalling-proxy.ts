import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network between a server and etcd that can stop carrying anything, without closing a connection. */
export class StallingProxy {
  readonly #server: Server;
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;
  address = '';

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((near) => this.#carry(near));
  }

  static async to(target: string): Promise<StallingProxy> {
    const proxy = new StallingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    proxy.address = `127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** From now on nothing gets through, of new connections neither. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was held up goes on its way. */
  goOn(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** New connections work again; those that stalled never will, and nobody tells their ends. */
  forgetConnections(): void {
    this.#isStalled = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(near: Socket): void {
    const [host, port] = this.#target.split(':');
    const far = connect(Number(port), host);
    for (const [from, to] of [[near, far], [far, near]] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isStalled) from.pause();
    }
  }
}
