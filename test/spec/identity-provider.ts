// An OpenID Connect provider over TLS, as others run it.
import { once } from 'node:events';
import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { importJWK, SignJWT, type JWK, type JWTPayload } from 'jose';
import { makeAuthority } from './made-certificates.ts';

/** What of the package is used here; it brings no types. */
interface Provider {
  readonly Client: { find(id: string): Promise<object> };
  readonly IdToken: new (claims: object, options: { readonly client: object }) => { set(name: string, value: unknown): void; issue(options: { readonly use: 'idtoken' }): Promise<string> };
  callback(): RequestListener;
}
type OpenProvider = new (issuer: string, configuration: object) => Provider;

export const CLIENTS = { ours: 'orch', theirs: 'another', elliptic: 'elliptic' } as const;

export class IdentityProvider {
  readonly issuer: string;
  /** PEM. */
  readonly authority: string;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  /** Answers instead of the provider, where it is there. */
  instead: RequestListener | undefined;
  /** Answers what it knows before the provider does, and says whether it did. */
  beside: ((...heard: Parameters<RequestListener>) => boolean) | undefined;
  readonly #server: ReturnType<typeof createServer>;
  readonly #open: OpenProvider;
  #keys: readonly JWK[] = [];
  #provider: Provider | undefined;
  #listener: RequestListener = (_request, response) => response.end();

  static async start(): Promise<IdentityProvider> {
    const authority = await makeAuthority('identity');
    const server = createServer(await authority.issue({ commonName: 'provider', usage: 'server' }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { default: open } = (await import('oidc-provider' as string)) as { readonly default: OpenProvider };
    return new IdentityProvider(server, authority.cert, open);
  }

  private constructor(server: ReturnType<typeof createServer>, authority: string, open: OpenProvider) {
    this.#server = server;
    this.authority = authority;
    this.#open = open;
    this.issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      this.asked.push(request.url ?? '');
      if (this.beside?.(request, response) !== true) (this.instead ?? this.#listener)(request, response);
    });
    this.rotate('first');
  }

  /** From now on other keys sign, and only they are published. */
  rotate(name: string): void {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    this.#keys = [{ ...rsa, kid: `${name}-rsa`, alg: 'RS256', use: 'sig' }, { ...ec, kid: `${name}-ec`, alg: 'ES256', use: 'sig' }] as JWK[];
    const client = (id: string, algorithm: string): object => ({
      client_id: id,
      client_secret: 'a secret of the client',
      redirect_uris: ['https://client.example/callback'],
      id_token_signed_response_alg: algorithm,
    });
    this.#provider = new this.#open(this.issuer, {
      jwks: { keys: this.#keys },
      clients: [client(CLIENTS.ours, 'RS256'), client(CLIENTS.theirs, 'RS256'), client(CLIENTS.elliptic, 'ES256')],
      cookies: { keys: ['k'] },
      features: { devInteractions: { enabled: false } },
    });
    this.#listener = this.#provider.callback();
  }

  /** An ID token as the provider makes it, with claims beside those it sets itself. */
  async idToken(claims: Readonly<Record<string, unknown>> = {}, client: string = CLIENTS.ours): Promise<string> {
    const provider = this.#provider as Provider;
    const token = new provider.IdToken({ sub: 'jane' }, { client: await provider.Client.find(client) });
    for (const [name, value] of Object.entries({ sub: 'jane', ...claims })) token.set(name, value);
    return token.issue({ use: 'idtoken' });
  }

  /** Signed with a key of the provider, and with these claims alone. A `kid` that is undefined: the token names no key. */
  async sign(claims: object, header: { readonly alg?: string; readonly kid?: string | undefined } = {}): Promise<string> {
    const [key] = this.#keys;
    const { alg = 'RS256', kid } = { kid: key?.kid, ...header };
    return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(await importJWK({ ...key, alg }, alg));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
