// Requests exactly as a client puts them on the wire: own headers, raw bodies, nothing added.
import { gzipSync } from 'node:zlib';
import type { StartedServer } from '../server.js';

export interface WireReply {
  readonly status: number;
  readonly type: string | null;
  readonly bytes: Buffer;
  /** The body as JSON; fails when it is none. */
  readonly json: Record<string, unknown>;
}

export type Headers = Readonly<Record<string, string>>;

/** How each public client carries its key. */
export const dressAs = ({ apiKey }: Pick<StartedServer, 'apiKey'>) => ({
  java: { 'Comet-Sdk-Api': apiKey, Accept: '*/*' },
  r: { Authorization: apiKey, Accept: 'application/json, text/xml, application/xml, */*' },
  python: { Authorization: apiKey },
});

const exchange = async (url: string, init: RequestInit): Promise<WireReply> => {
  const reply = await fetch(url, init);
  const bytes = Buffer.from(await reply.arrayBuffer());
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    bytes,
    get json() {
      return JSON.parse(bytes.toString()) as Record<string, unknown>;
    },
  }; // every JSON reply of this wire is an object
};

/** Sends requests to one server with one client's headers. */
export const callerOf = (url: string, headers: Headers) => ({
  get: (path: string) => exchange(url + path, { headers }),
  /** Sends JSON; a text goes out as it is. */
  send: (method: 'POST' | 'PUT', path: string, body: unknown) =>
    exchange(url + path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  sendPacked: (path: string, body: unknown) =>
    exchange(url + path, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json;charset=utf-8',
        'Content-Encoding': 'gzip',
      },
      body: gzipSync(JSON.stringify(body)),
    }),
  sendFile: (path: string, content: Uint8Array, fileName: string) => {
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(content)]), fileName);
    return exchange(url + path, { method: 'POST', headers, body: form });
  },
});
export type WireCaller = ReturnType<typeof callerOf>;
