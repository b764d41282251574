export type { Connection } from './connection.ts';
export { TransportFailure, type TransportFailureCode } from './failure.ts';
export { createHttpClient, type HttpAnswer, type HttpClient, type HttpClientOptions, type HttpRequest, type HttpStream } from './http-request.ts';
export { readKubeconfig } from './kubeconfig.ts';
export { openWebhook, type Webhook, type WebhookCall, type WebhookOptions } from './webhook-call.ts';
