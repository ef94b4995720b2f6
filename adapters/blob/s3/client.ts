// The client library over a transport of ours, which bounds silence, ends with a signal and tells refusals apart.
import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { Client, type ClientOptions } from 'minio';
import { Refused, Silent } from '../streams/faults.js';

export interface S3Options {
  /** `http://` or `https://` with host and port; AWS when empty. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Whether the bucket stands in the path and not in the host's name. */
  readonly pathStyle: boolean;
  /** The longest that the bucket may send nothing. */
  readonly silenceMs?: number;
}

export interface S3Connection {
  readonly bucket: string;
  /** How messages name the place. */
  readonly place: string;
  /** Whether bodies travel in the clear, where the library signs their hash. */
  readonly secure: boolean;
  readonly silenceMs: number;
  /** A client whose requests end when the signal aborts. */
  client(signal?: AbortSignal): Client;
}

const defaultSilenceMs = 30_000;
/** A refusal's document is small. */
const refusalLimit = 64 * 1024;
/** Statuses for which the library throws the reply away unread and prints to the console. */
const busy = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

type Request = (
  options: RequestOptions,
  onReply: (reply: IncomingMessage) => void,
) => ClientRequest;

const readRefusal = (sending: ClientRequest, reply: IncomingMessage): void => {
  let text = '';
  reply.on('data', (bytes: Buffer) => {
    if (text.length < refusalLimit) text += bytes.toString();
  });
  const refuse = (): void => {
    sending.emit(
      'error',
      new Refused(reply.statusCode ?? 0, /<Code>(\w+)<\/Code>/.exec(text)?.[1]),
    );
  };
  reply.once('end', refuse);
  reply.once('error', refuse);
};

const transportOver = (
  request: Request,
  agent: PlainAgent,
  silenceMs: number,
  signal: AbortSignal | undefined,
) => ({
  request: (options: RequestOptions, onReply: (reply: IncomingMessage) => void): ClientRequest => {
    const sending = request(
      { ...options, agent, ...(signal === undefined ? {} : { signal }) },
      (reply) => {
        if (busy.has(reply.statusCode ?? 0)) readRefusal(sending, reply);
        else onReply(reply);
      },
    );
    sending.setTimeout(silenceMs, () => {
      sending.destroy(new Silent());
    });
    return sending;
  },
});

/** Prepares connections to a bucket; nothing is sent yet. */
export const connectS3 = ({
  endpoint,
  region,
  bucket,
  accessKey,
  secretKey,
  pathStyle,
  silenceMs = defaultSilenceMs,
}: S3Options): S3Connection => {
  const address = new URL(endpoint === '' ? 'https://s3.amazonaws.com' : endpoint);
  const secure = address.protocol === 'https:';
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const settings: ClientOptions = {
    endPoint: address.hostname.replace(/^\[(.*)\]$/, '$1'),
    useSSL: secure,
    region,
    accessKey,
    secretKey,
    pathStyle,
    ...(address.port === '' ? {} : { port: Number(address.port) }),
    // It repeats on a few statuses only, and prints each time; what is repeated is said in `faults.ts`.
    retryOptions: { disableRetry: true },
  };
  return {
    bucket,
    place: `bucket ${bucket} at ${address.origin}`,
    secure,
    silenceMs,
    client: (signal) =>
      new Client({
        ...settings,
        transport: transportOver(
          secure ? secureRequest : plainRequest,
          agent,
          silenceMs,
          signal,
        ) as NonNullable<ClientOptions['transport']>,
      }), // the library calls it in this one form
  };
};
