// The official client for credentials and signatures; what they permit is asked over a transport of ours. The library's own calls cannot be
// aborted, repeat a silence three times, and its streams end the connections of others when one of them breaks.
import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { readFile } from 'node:fs/promises';
import { Storage, type Bucket, type StorageOptions } from '@google-cloud/storage';
import { Failure } from '#ports/failure';
import { Refused, Silent } from '../streams/faults.js';

export interface GcsOptions {
  readonly bucket: string;
  /** The project, where the credentials do not name it; empty for theirs. */
  readonly project: string;
  /** `http://` or `https://` with host and port; Google's own when empty. */
  readonly endpoint: string;
  /** A service account's key as JSON, or the path of a file that holds it; what the machine offers when empty. */
  readonly credentials: string;
  /** The longest that the bucket may send nothing. */
  readonly silenceMs?: number;
}

export interface Sending {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal | undefined;
  /** Statuses that are answers; any other is thrown as `Refused`. */
  readonly expected: readonly number[];
  /** Whether the address carries its own permission, as that of an upload in progress does. */
  readonly permitted?: boolean;
}

export interface GcsConnection {
  /** Signs links. */
  readonly bucket: Bucket;
  readonly endpoint: string;
  /** The address of an object on the JSON interface, or of all of them. */
  objectAt(key?: string): string;
  /** How messages name the place. */
  readonly place: string;
  readonly silenceMs: number;
  /** Sends one request; the reply must be read or destroyed. */
  send(sending: Sending): Promise<IncomingMessage>;
}

const defaultSilenceMs = 30_000;
const refusalLimit = 64 * 1024;

interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
}

const readAccount = async (credentials: string): Promise<ServiceAccount> => {
  const wrong = (why: string, cause?: unknown) =>
    new Failure('unavailable', `the credentials of ORRERY_GCS_CREDENTIALS ${why}`, { cause });
  const text = credentials.trim().startsWith('{')
    ? credentials
    : await readFile(credentials, 'utf8').catch((cause: unknown) => {
        throw wrong('cannot be read', cause);
      });
  let account: unknown;
  try {
    account = JSON.parse(text);
  } catch (cause) {
    throw wrong('are not JSON', cause);
  }
  const { client_email: email, private_key: key } = (account ?? {}) as Partial<ServiceAccount>; // members are checked in the next line
  if (typeof email !== 'string' || typeof key !== 'string')
    throw wrong('lack client_email or private_key');
  return account as ServiceAccount; // as was just checked
};

/** The text of a reply that is a small document. */
export const readText = async (reply: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const bytes of reply) text += String(bytes);
  return text;
};

/** The document of a reply, which is what the caller says it is. */
export const readJson = async <T>(reply: IncomingMessage): Promise<T> =>
  JSON.parse(await readText(reply)) as T; // GCS answers as it is documented

/** The size of an object. */
export const askSize = async ({ send, objectAt }: GcsConnection, key: string): Promise<number> =>
  Number(
    (
      await readJson<{ readonly size: string }>(
        await send({ method: 'GET', url: `${objectAt(key)}?fields=size`, expected: [200] }),
      )
    ).size,
  );

/** Removes an object; one that is missing is no fault. */
export const removeObject = async (
  { send, objectAt }: GcsConnection,
  key: string,
): Promise<void> => {
  try {
    await readText(await send({ method: 'DELETE', url: objectAt(key), expected: [200, 204] }));
  } catch (thrown) {
    if (!(thrown instanceof Refused) || thrown.status !== 404 || thrown.code === 'NoSuchBucket')
      throw thrown;
  }
};

const wordIn = (text: string): string | undefined =>
  /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? /"reason":\s*"(\w+)"/.exec(text)?.[1];

const refusalOf = async (reply: IncomingMessage): Promise<Refused> => {
  let text = '';
  for await (const bytes of reply) if (text.length < refusalLimit) text += String(bytes);
  // Only the text tells a missing bucket from a missing object.
  return new Refused(
    reply.statusCode ?? 0,
    /bucket does not exist/i.test(text) ? 'NoSuchBucket' : wordIn(text),
  );
};

/** Prepares connections to a bucket; nothing is sent yet. Rejects with `unavailable` when the credentials cannot be read. */
export const connectGcs = async ({
  bucket: name,
  project,
  endpoint,
  credentials,
  silenceMs = defaultSilenceMs,
}: GcsOptions): Promise<GcsConnection> => {
  const account = credentials === '' ? undefined : await readAccount(credentials);
  const options: StorageOptions = {
    ...(project === '' ? {} : { projectId: project }),
    ...(endpoint === ''
      ? {}
      : { apiEndpoint: endpoint, useAuthWithCustomEndpoint: account !== undefined }),
    ...(account === undefined ? {} : { credentials: account }),
  };
  const storage = new Storage(options);
  // A service account signs its own tokens: no other host is asked.
  if (account !== undefined) storage.authClient.useJWTAccessWithScope = true;
  const secure = storage.apiEndpoint.startsWith('https:');
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const anonymous = endpoint !== '' && account === undefined;

  const send = async ({
    method,
    url,
    headers = {},
    body,
    signal,
    expected,
    permitted = false,
  }: Sending): Promise<IncomingMessage> => {
    const permission =
      permitted || anonymous ? {} : await storage.authClient.getRequestHeaders(url);
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = (secure ? secureRequest : plainRequest)(
        url,
        {
          method,
          agent,
          headers: {
            ...permission,
            ...headers,
            ...(method === 'GET' ? {} : { 'content-length': body?.length ?? 0 }),
          },
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      sending.on('error', reject);
      sending.setTimeout(silenceMs, () => {
        sending.destroy(new Silent());
      });
      sending.end(body);
    });
    if (expected.includes(reply.statusCode ?? 0)) return reply;
    throw await refusalOf(reply);
  };
  const objectAt = (key?: string): string =>
    `${storage.apiEndpoint}/storage/v1/b/${encodeURIComponent(name)}/o${key === undefined ? '' : `/${encodeURIComponent(key)}`}`;
  return {
    bucket: storage.bucket(name),
    endpoint: storage.apiEndpoint,
    objectAt,
    place: `bucket ${name} at ${storage.apiEndpoint}`,
    silenceMs,
    send,
  };
};
