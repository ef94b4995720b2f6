// The product over each kind of storage, with callers dressed as the public clients.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { borrowServer, startServer, triedStorages, type StartedServer } from '../server.js';
import { callerOf, dressAs, type WireCaller, type WireReply } from './caller.js';

export const rest = '/api/rest/v2';
export const write = `${rest}/write`;
/** What a case needs; members are there once the suite has begun. */
export interface Stage {
  readonly server: StartedServer;
  readonly java: WireCaller;
  readonly r: WireCaller;
  readonly python: WireCaller;
  /** Key of a new experiment in the project `wire`, unless the body says otherwise. */
  make(body?: object): Promise<string>;
  /** JSON of a read of one experiment: `get('tags', key)`. */
  get(what: string, key: string, more?: string): Promise<Record<string, unknown>>;
}

interface StageOptions {
  /** Settings beside the ones every start needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Nobody else's server: for cases that see all that an installation holds, or the administrator that it was started with. */
  readonly alone?: boolean;
}

/** Cases that run once over each kind of storage, in a workspace of their own; `alone`, or with settings, on a server of their own, too. */
export const onEveryStorage = (
  title: string,
  define: (stage: Stage) => void,
  { env = {}, alone = Object.keys(env).length > 0 }: StageOptions = {},
): void => {
  for (const storage of triedStorages) {
    describe(`${title} on ${storage}`, function () {
      this.timeout(60_000);
      let server: StartedServer | undefined;
      before('start a server', async function () {
        const started = await (alone ? startServer : borrowServer)({
          storage,
          env: { ORRERY_CHECK_REPLIES: '1', ...env },
        });
        if ('missing' in started) return pendingUnlessAll(this, started.missing);
        server = started;
      });
      after(() => server?.stop());
      define(stageOf(() => {
        if (server === undefined) throw new Error('the server was not started');
        return server;
      }));
    });
  }
};

const stageOf = (server: () => StartedServer): Stage => {
  const dressed = (name: 'java' | 'r' | 'python') =>
    callerOf(server().url, dressAs(server())[name]);
  return {
    get server() {
      return server();
    },
    get java() {
      return dressed('java');
    },
    get r() {
      return dressed('r');
    },
    get python() {
      return dressed('python');
    },
    async make(body = {}) {
      const reply = await dressed('java').send('POST', `${write}/experiment/create`, {
        workspaceName: server().workspace,
        projectName: 'wire',
        disableHeartBeat: false,
        ...body,
      });
      expect(reply.status, reply.bytes.toString()).to.equal(200);
      return String(reply.json['experimentKey']);
    },
    async get(what, key, more = '') {
      const reply = await dressed('python').get(
        `${rest}/experiment/${what}?experimentKey=${key}${more}`,
      );
      expect([reply.status, reply.type], reply.bytes.toString()).to.deep.equal([
        200,
        'application/json',
      ]);
      return reply.json;
    },
  };
};

/** Fails unless a write was answered as every client expects it. */
export const isSaved = (reply: WireReply, msg = 'Saved'): void => {
  const { json } = reply;
  expect(
    [reply.status, reply.type, json['msg'], json['code'], json['sdk_error_code'], json['data']],
    reply.bytes.toString(),
  ).to.deep.equal([200, 'application/json', msg, 200, 0, null]);
};

/** Fails unless a request was refused with this status and code. */
export const isRefused = (reply: WireReply, status: number, code: number): void => {
  expect(
    [reply.status, reply.type, reply.json['code'], reply.json['sdk_error_code']],
    reply.bytes.toString(),
  ).to.deep.equal([status, 'application/json', status, code]);
};

/** The members of one row of a summary (16.4). */
export const rowOf = (
  summary: Record<string, unknown>,
  name: string,
): Record<string, unknown> | undefined =>
  (summary['values'] as readonly Record<string, unknown>[]).find((row) => row['name'] === name); // a summary holds a list of objects
