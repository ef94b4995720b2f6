// Asks a server of its own by the private wire, as its owner.
import { expect } from 'chai';
import { startServer, type StartedServer } from '#test/clients/server';

export type Json = Readonly<Record<string, unknown>>;

export interface PrivateClient {
  /** Asks with the paths behind `/v1/private/`. */
  ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string; readonly location: string | null }>;
  /** What a GET of JSON replies; fails where it is refused. */
  read(path: string): Promise<Json>;
  /** What a request with a body replies, as JSON where it has one; fails where it is refused. */
  send(method: string, path: string, body: unknown, expected?: number): Promise<Json>;
  /** The lines of a stream. */
  lines(path: string, body: unknown): Promise<readonly Json[]>;
  /** The status and the first sentence of a refusal. */
  refusal(method: string, path: string, body?: unknown): Promise<readonly [number, string]>;
  server(): StartedServer;
}

/** For use in a `describe`: the server runs, with these settings, while its cases do. */
export const privateClient = (env: Readonly<Record<string, string>> = {}): PrivateClient => {
  let started: StartedServer | undefined;
  before(async () => {
    const opened = await startServer({ storage: 'embedded', env });
    if ('missing' in opened) throw new Error(opened.missing);
    started = opened;
  });
  after(() => started?.stop());
  const server = (): StartedServer => {
    if (started === undefined) throw new Error('the server is not there');
    return started;
  };
  const ask: PrivateClient['ask'] = async (method, path, body) => {
    const reply = await fetch(`${server().url}/api/v1/private/${path}`, {
      method,
      headers: { Authorization: server().apiKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: reply.status,
      text: await reply.text(),
      location: reply.headers.get('Location'),
    };
  };
  const parse = (text: string): Json => JSON.parse(text === '' ? '{}' : text) as Json; // an object, as every reply of the private wire
  return {
    ask,
    server,
    async read(path) {
      const { status, text } = await ask('GET', path);
      expect(status, text).to.equal(200);
      return parse(text);
    },
    async send(method, path, body, expected = 204) {
      const { status, text } = await ask(method, path, body);
      expect(status, text).to.equal(expected);
      return parse(text);
    },
    async lines(path, body) {
      const { status, text } = await ask('POST', path, body);
      expect(status, text).to.equal(200);
      return text
        .split('\r\n')
        .filter((line) => line !== '')
        .map(parse);
    },
    async refusal(method, path, body) {
      const { status, text } = await ask(method, path, body);
      const [first] = (parse(text)['errors'] ?? []) as readonly string[]; // as the wire has it
      return [status, first ?? ''];
    },
  };
};
