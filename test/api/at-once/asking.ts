// How a case asks a running server, alone or many at once.
import { freshName } from '../fresh.js';
import type { StartedServer } from '#test/clients/server';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** How many ask at once. */
export const many = 50;

export interface Asking {
  /** A GET without a body, a POST with one, unless a method is named. */
  ask(path: string, body?: unknown, method?: string): Promise<Answer>;
  /** The same, for what prepares a case: fails unless the answer is 200. */
  must(path: string, body?: unknown, method?: string): Promise<Record<string, unknown>>;
  /** Sends a file. */
  upload(path: string, file: { readonly type: string; readonly body: Buffer }): Promise<void>;
  /** A workspace of its own. */
  addWorkspace(): Promise<string>;
  /** A new run of a project; made in the caller's own workspace unless another is named. */
  addRun(
    projectName?: string,
    workspaceName?: string,
  ): Promise<{ readonly key: string; readonly project: string }>;
  readonly workspace: string;
}

export const write = '/api/rest/v2/write';
export const read = '/api/rest/v2';

/** Does something `count` times at once and answers what came of each. */
export const atOnce = <T>(count: number, work: (i: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

/** How many answers there are of each status. */
export const statuses = (answers: readonly Answer[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export const askingOf = ({ url, apiKey, workspace }: StartedServer): Asking => {
  const ask: Asking['ask'] = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }; // every reply here is an object, or nothing
  };
  const must: Asking['must'] = async (path, body, method) => {
    const answer = await ask(path, body, method);
    if (answer.status >= 300)
      throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    ask,
    must,
    workspace,
    async upload(path, { type, body }) {
      const { status } = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: apiKey, 'content-type': type },
        body: new Uint8Array(body),
      });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
    },
    async addWorkspace() {
      const name = freshName('space');
      await must(`${write}/workspace/new`, { name });
      return name;
    },
    async addRun(projectName = freshName('project'), workspaceName = workspace) {
      const { experimentKey } = await must(`${write}/experiment/create`, {
        workspaceName,
        projectName,
      });
      return { key: String(experimentKey), project: projectName };
    },
  };
};
