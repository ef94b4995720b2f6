// What fills a demo speaks to the server as any client does: over its public API, with a key.
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '#ports/failure';

export interface DemoClient {
  readonly url: string;
  /** Sends JSON and hands out the reply. Waits and sends again where the server asks for that. Rejects with `conflict` when it refuses. */
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  upload(
    query: Readonly<Record<string, string | number>>,
    content: string | Uint8Array<ArrayBuffer>,
  ): Promise<void>;
}

export const api = '/api/rest/v2';
const attempts = 6;
const longestWaitMs = 5000;

/** Rejects with `unavailable` where nobody answers. */
const reach = async (address: string, request: RequestInit): Promise<Response> => {
  try {
    return await fetch(address, request);
  } catch (cause) {
    throw new Failure(
      'unavailable',
      `no server answers at ${new URL(address).origin}; start one with "npm start", or name another by --url`,
      { cause },
    );
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Of a workspace that is named, for what is asked without naming one. */
export const openClient = (url: string, apiKey: string, workspace?: string): DemoClient => {
  const own = {
    authorization: apiKey,
    ...(workspace === undefined ? {} : { 'comet-workspace': workspace }),
  };
  const send = async (path: string, request: RequestInit): Promise<Record<string, unknown>> => {
    for (let attempt = 1; ; attempt++) {
      const reply = await reach(url + path, request);
      const text = await reply.text();
      if ([429, 503].includes(reply.status) && attempt < attempts) {
        const seconds = Number(reply.headers.get('retry-after') ?? 1);
        await wait(Math.min(longestWaitMs, (Number.isFinite(seconds) ? seconds : 1) * 1000));
        continue;
      }
      if (!reply.ok)
        throw new Failure(
          'conflict',
          `the server answered ${reply.status} to ${path.replace(/\?.*/, '')}: ${text.slice(0, 300)}`,
        );
      const value: unknown = text === '' ? {} : JSON.parse(text);
      return isObject(value) ? value : {};
    }
  };
  return {
    url,
    ask: (method, path, body) =>
      send(path, {
        method,
        headers: { ...own, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async upload(query, content) {
      const form = new FormData();
      form.set('file', new Blob([content]), 'file');
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) search.set(name, String(value));
      await send(`${api}/write/experiment/upload-asset?${search.toString()}`, {
        method: 'POST',
        headers: own,
        body: form,
      });
    },
  };
};
