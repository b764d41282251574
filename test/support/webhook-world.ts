// A server and the webhooks it asks, with a clock that stands still.
import { brandOf, type Brand, type Dialect } from '#api';
import { startTestServer, TurnedClock, type PatchForm, type TestAnswer, type TestJson, type TestServer, type TestServerOptions } from '#testing';
import { oncePerDialect } from './dialect-worlds.ts';
import { WebhookServer, type Behaviour, type Heard } from './webhook-server.ts';

type Observer = NonNullable<NonNullable<TestServerOptions['admission']>['observer']>;

/** Everything the observer is told. */
export interface Observed {
  readonly plugins: Parameters<Observer['plugin']>[0][];
  readonly steps: Parameters<Observer['step']>[0][];
  readonly webhooks: Parameters<Observer['webhook']>[0][];
  readonly rejections: Parameters<Observer['webhookRejected']>[0][];
  readonly failedOpen: Parameters<Observer['webhookFailedOpen']>[0][];
}

export type ConfigurationKind = 'Mutating' | 'Validating';

/** Defines the tests of a file once for each dialect. */
export const inBothDialects = (define: (world: WebhookWorld) => void): void => oncePerDialect((dialect) => new WebhookWorld(dialect), define);

export class WebhookWorld {
  readonly dialect: Dialect;
  readonly brand: Brand;
  readonly clock = new TurnedClock();
  readonly observed: Observed = { plugins: [], steps: [], webhooks: [], rejections: [], failedOpen: [] };
  #server: TestServer | undefined;
  #webhooks: WebhookServer | undefined;
  #count = 0;
  readonly #made: string[] = [];

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    this.brand = brandOf(dialect);
  }

  async start(options: TestServerOptions = {}): Promise<void> {
    const { plugins, steps, webhooks, rejections, failedOpen } = this.observed;
    const observer: Observer = {
      plugin: (run) => plugins.push(run),
      step: (run) => steps.push(run),
      webhook: (run) => webhooks.push(run),
      webhookRejected: (rejection) => rejections.push(rejection),
      webhookFailedOpen: (webhook) => failedOpen.push(webhook),
    };
    await this.listen();
    this.#server = await startTestServer({ dialect: this.dialect, clock: this.clock, controllers: 'none', ...options, admission: { observer, ...options.admission } });
  }

  /** Starts the webhooks alone. */
  async listen(): Promise<void> {
    this.#webhooks ??= await WebhookServer.start(['localhost', '127.0.0.1', 'hook.infra.svc']);
  }

  async end(): Promise<void> {
    await this.#server?.close();
    await this.#webhooks?.close();
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the world has not started');
    return this.#server;
  }

  get hooks(): WebhookServer {
    if (this.#webhooks === undefined) throw new Error('the world has not started');
    return this.#webhooks;
  }

  fresh(prefix = 'x'): string {
    this.#count += 1;
    return `${prefix}-${this.#count}`;
  }

  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer> {
    return this.server.request(method, path, body, headers);
  }

  patch(form: PatchForm, path: string, body: unknown): Promise<TestAnswer> {
    return this.server.patch(form, path, body);
  }

  /** A namespace with these labels. */
  async namespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = this.fresh('ns');
    const answer = await this.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    if (answer.status !== 201) throw new Error(answer.text);
    return name;
  }

  /** The path of webhook configurations, or of one. */
  configurations(kind: ConfigurationKind, name = ''): string {
    return `/apis/${this.brand.group('admissionregistration')}/v1/${kind.toLowerCase()}webhookconfigurations${name === '' ? '' : `/${name}`}`;
  }

  configuration(kind: ConfigurationKind, name: string, webhooks: readonly object[]): TestJson {
    return { apiVersion: `${this.brand.group('admissionregistration')}/v1`, kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks };
  }

  /** Registers webhooks; `forget` takes them away again. Each may leave out what stands in `webhook`. */
  async register(kind: ConfigurationKind, webhooks: readonly object[], name = this.fresh('config')): Promise<string> {
    const answer = await this.request('POST', this.configurations(kind), this.configuration(kind, name, webhooks));
    if (answer.status !== 201) throw new Error(answer.text);
    this.#made.push(this.configurations(kind, name));
    return name;
  }

  /** Takes away every registration. */
  async forget(): Promise<void> {
    for (const path of this.#made.splice(0)) await this.request('DELETE', path);
  }

  /** A webhook about ConfigMaps in one namespace, at a path of its own. */
  webhook(namespace: string, behaviour: Behaviour, more: object = {}): Webhook {
    const path = `/${this.fresh('hook')}`;
    return {
      name: 'hook.example.com',
      clientConfig: this.hooks.at(path, behaviour),
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      ...(namespace === '' ? {} : { namespaceSelector: { matchLabels: { [this.brand.names.namespaceNameLabel]: namespace } } }),
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...more,
    };
  }

  /** What was asked at the place of a webhook. */
  asked(webhook: Webhook): readonly TestJson[] {
    return this.calls(webhook).map(({ review }) => review.request as unknown);
  }

  calls({ clientConfig }: Webhook): readonly Heard[] {
    return this.hooks.callsAt(new URL(clientConfig.url).pathname);
  }

  /** A ConfigMap to create. */
  map(name: string, more: object = {}, metadata: object = {}): object {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: { a: '1' }, ...more };
  }

  createMap(namespace: string, query = '', more: object = {}, metadata: object = {}): Promise<TestAnswer> {
    return this.request('POST', `/api/v1/namespaces/${namespace}/configmaps${query}`, this.map(this.fresh('map'), more, metadata));
  }
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  readonly [member: string]: unknown;
}
