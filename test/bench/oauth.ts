// What a code costs on its way to a pair of tokens, beside the two commits that it cannot do without.
import { createHash, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { v7 } from 'uuid';
import { atMost, median, quantile, round, type Line } from './line.js';
import { openStore } from './store.js';
import { withServer, type BenchServer } from './server.js';

const redirectUri = 'https://app.example/cb';
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Prepared {
  readonly clientId: string;
  readonly codes: readonly { readonly code: string; readonly verifier: string }[];
}

/** A client, and codes as consents leave them. */
const prepare = async (server: BenchServer, count: number): Promise<Prepared> => {
  const storage = await openStore(server);
  const { oauth, users, workspaces } = storage.stores;
  const [user, workspace] = [
    await users.findUser({ name: 'admin' }),
    await workspaces.findByName(server.workspace),
  ];
  const [clientId, now] = [v7(), Date.now()];
  await oauth.insertClient({
    id: clientId,
    name: 'bench',
    redirectUris: [redirectUri],
    logoUri: undefined,
    clientUri: undefined,
    softwareId: undefined,
    softwareVersion: undefined,
    createdAt: now,
    disabledAt: undefined,
  });
  const codes = Array.from({ length: count }, () => ({
    code: randomBytes(32).toString('base64url'),
    verifier: randomBytes(32).toString('base64url'),
  }));
  for (const { code, verifier } of codes)
    await oauth.insertCode({
      id: v7(),
      hash: hash(code),
      clientId,
      userId: user?.id ?? '',
      workspaceId: workspace?.id ?? '',
      workspaceName: server.workspace,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      redirectUri,
      resource: `${server.url}/api/v1/mcp`,
      createdAt: now,
      expiresAt: now + 3_600_000,
    });
  await storage.close();
  return { clientId, codes };
};

/** Brings one code over a connection that stays open. */
const bring = (
  { port }: BenchServer,
  agent: Agent,
  clientId: string,
  { code, verifier }: Prepared['codes'][number],
): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    }).toString();
    const sent = request(
      {
        port,
        agent,
        method: 'POST',
        path: '/oauth/token',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': body.length,
        },
      },
      (reply) => {
        reply.resume();
        reply.once('end', () => {
          if (reply.statusCode === 200) resolve();
          else reject(new Error(`a code was answered with ${reply.statusCode}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });

export const oauthLine: Line = {
  name: 'oauth',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [warm, count] = [100, quick ? 300 : 1500];
      const { clientId, codes } = await prepare(server, warm + count);
      const db = await server.openDatabase();
      await db.raw('create table bench_commits (id uuid primary key, n bigint not null)');
      const row = v7();
      await db.raw('insert into bench_commits values (?, 0)', [row]);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const [exchanges, commits]: [number[], number[]] = [[], []];
      // By turns, so that a disk that slows down slows both.
      for (const [i, code] of codes.entries()) {
        const first = performance.now();
        await bring(server, agent, clientId, code);
        const second = performance.now();
        await db.raw('update bench_commits set n = n + 1 where id = ?', [row]);
        await db.raw('insert into bench_commits values (?, 1)', [v7()]);
        const third = performance.now();
        if (i < warm) continue;
        exchanges.push(second - first);
        commits.push(third - second);
      }
      agent.destroy();
      await db.destroy();
      const value = median(exchanges) / median(commits);
      return [
        {
          what: 'a code for a pair of tokens, over two raw commits',
          value: round(value),
          held: atMost(3, value),
          sides: `median ${round(median(exchanges))} ms, p95 ${round(quantile(exchanges, 0.95))}; two commits ${round(median(commits))} ms, p95 ${round(quantile(commits, 0.95))}`,
        },
      ];
    }),
};
