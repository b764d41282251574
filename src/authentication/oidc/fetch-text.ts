import { abortedBy } from '#base';
import { createHttpClient, type Connection } from '#transport';

interface Fetch {
  /** PEM of the certificate authorities that the server's certificate is verified with. Default: those of the platform. */
  readonly authority: string | undefined;
  /** Value of the `Accept` header. */
  readonly accept: string;
  /** Sent with this request only. */
  readonly bearerToken?: string | undefined;
  /** Gives up the request, and closes its connection. */
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Fetches the text at an https URL. Follows no redirect. Throws an `Error` that names origin and path, and never the token or the query. */
export async function fetchText(address: string, { authority, accept, bearerToken, signal }: Fetch): Promise<string> {
  const { protocol, origin, pathname, search } = new URL(address);
  if (protocol !== 'https:') throw new Error(`${origin} is not https`);
  const connection: Connection = { server: origin, isVerified: true, namespace: '', ...(authority === undefined ? {} : { authority }) };
  const end = abortedBy(AbortSignal.timeout(TIMEOUT_MS), signal);
  const http = createHttpClient(connection, { maxAnswerBytes: MAX_ANSWER_BYTES, silenceMs: TIMEOUT_MS });
  try {
    const headers = { accept, ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }) };
    const { status, body } = await http.request({ method: 'GET', path: pathname + search, headers, signal: end.signal });
    if (status !== 200) throw new Error(`${origin}${pathname} answered with status ${status}`);
    return new TextDecoder().decode(body);
  } finally {
    end.abort();
    http.close();
  }
}
