// What the product does by itself, each with what is read back of it.
import { v7 } from 'uuid';
import { startReceiver, type Receiver } from '#test/clients/receiver';
import { freshName } from '#test/contract/storage/builders';
import { startJudgeServer, type JudgeServer } from '#test/core/automations/judge-server';
import { client, entries, inProject, type Case } from './cases.js';
import type { Answer, BreakableServer } from './world.js';

const dayMs = 24 * 3_600_000;
/** Times of what is made, which are the same each time. */
const [longAgo, yesterday] = [Date.now() - 100 * dayMs, Date.now() - dayMs];

/** Runs a job as the process does that does not hear of what befell it. */
const running =
  (server: BreakableServer, job: string): (() => Promise<Answer>) =>
  async () => {
    try {
      await server.run(job);
      return { status: 204, text: '' };
    } catch (thrown) {
      return { status: 500, text: String(thrown) };
    }
  };

const retention = inProject('the deletion of traces that have expired', async (begun) => {
  const { need, project_name, project_id, server } = begun;
  const old = Array.from({ length: 3 }, (_, at) => v7({ msecs: longAgo + at }));
  const trace = (id: string) => ({
    ...{ id, project_name, name: 'old', start_time: '2026-01-01T00:00:00Z', input: { a: 1 } },
  });
  await need('POST', 'traces/batch', { traces: [...old, v7()].map(trace) });
  await need('POST', 'spans/batch', {
    spans: old.map((trace_id) => ({ ...trace(v7()), trace_id })),
  });
  const id = v7();
  await need('POST', 'retention/rules', {
    ...{ id, project_id, retention: 'short_14d', apply_to_past: true },
  });
  return {
    ...{ send: running(server, 'apply-retention'), tells: false },
    read: () => entries(begun),
    end: () => need('DELETE', `retention/rules/${id}`),
  };
});

/** Enough rows of a day ago to be summed up, which nobody sees. */
const merging = inProject('sums of many traces', async (begun) => {
  const { need, project_name, server, look } = begun;
  const traces = Array.from({ length: 520 }, (_, at) => ({
    ...{ id: v7({ msecs: yesterday + at }), project_name, name: `n${at % 7}` },
    ...{ start_time: new Date(yesterday + at).toISOString(), tags: [`t${at % 3}`] },
    end_time: new Date(yesterday + at + 1000 + at).toISOString(),
  }));
  await need('POST', 'traces/batch', { traces });
  const filters = encodeURIComponent(
    JSON.stringify([{ field: 'tags', operator: 'contains', value: 't1' }]),
  );
  return {
    ...{ send: running(server, 'sum-up-entries'), tells: false, shows: false },
    read: async () => ({
      all: await look(`traces/stats?project_name=${project_name}`),
      tagged: await look(`traces/stats?project_name=${project_name}&filters=${filters}`),
      page: await look(`traces?project_name=${project_name}&filters=${filters}&size=3`),
    }),
  };
});

/** A rule with a model of its own, and a trace that waits to be judged. */
const evaluator = (model: () => JudgeServer): Case =>
  inProject('the score of a trace by a rule', async (begun) => {
    const { need, look, project_name, project_id, server } = begun;
    const provider = freshName('provider');
    await need('POST', 'llm-provider-key', {
      ...{ provider: 'custom-llm', provider_name: provider, api_key: 'sk-of-a-judge' },
      base_url: model().url,
    });
    const rule = freshName('rule');
    await need('POST', 'automations/evaluators', {
      ...{ type: 'llm_as_judge', action: 'evaluator', name: rule, project_ids: [project_id] },
      code: {
        model: { name: `custom-llm/${provider}/judge`, temperature: 0 },
        messages: [{ role: 'USER', content: 'Judge {{answer}}', string_content: true }],
        variables: { answer: 'output' },
        schema: [{ name: 'Quality', type: 'DOUBLE', description: 'how good' }],
      },
    });
    const { content } = await need('GET', `automations/evaluators?name=${rule}`);
    const [made] = content as readonly { readonly id: string }[]; // as the row has it
    await need('POST', 'traces', {
      ...{ id: v7(), project_name, name: 'judged', output: 'fine' },
      ...{ start_time: '2026-05-01T10:00:00Z', end_time: '2026-05-01T10:00:01Z' },
    });
    await server.hasten('automation_runs', 'due_at');
    return {
      ...{ send: running(server, 'run-automations'), tells: false, inParts: true },
      read: async () => {
        const { content: logs } = (await look(`automations/evaluators/${made?.id}/logs`)) as {
          readonly content: readonly { readonly message: string; readonly level: string }[];
        }; // as the row has it
        return { entries: await entries(begun), logged: logs.length > 0 };
      },
      again: () => server.hasten('automation_runs', 'due_at'),
      end: () => need('POST', 'automations/evaluators/delete', { ids: [made?.id] }),
    };
  });

/** An alert that hears of a prompt. */
const alerting = (receiver: () => Receiver): Case => ({
  title: 'what an alert tells of',
  async prepare(server) {
    const { need, look } = client(server);
    const [id, path] = [v7(), `/${freshName('hook')}`];
    await need('POST', 'alerts', {
      ...{ id, name: freshName('alert'), webhook: { url: receiver().url + path } },
      triggers: [{ event_type: 'prompt:created' }],
    });
    await need('POST', 'prompts', { name: freshName('prompt'), template: 'Hello' });
    await server.hasten('alert_events', 'ripe_at');
    return {
      ...{ send: running(server, 'send-alerts'), tells: false, inParts: true },
      read: async () => {
        const { content } = (await look(`alerts/${id}/firings`)) as {
          readonly content: readonly { readonly state: string }[];
        }; // as the row has it
        const told = receiver()
          .got(path)
          .map(({ json }) => json['id']);
        return {
          // What was sent and not yet noted is sent again, under the same id.
          sent: new Set(told).size,
          firings: content.map(({ state }) => state),
        };
      },
      again: () => server.hasten('alert_firings', 'retry_at'),
      end: () => need('POST', 'alerts/delete', { ids: [id] }),
    };
  },
});

export interface JobCases {
  readonly cases: readonly Case[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const jobCases = (): JobCases => {
  let parts: { readonly judge: JudgeServer; readonly receiver: Receiver } | undefined;
  const need = () => {
    if (parts === undefined) throw new Error('the servers are not there');
    return parts;
  };
  return {
    cases: [retention, merging, evaluator(() => need().judge), alerting(() => need().receiver)],
    async start() {
      parts = {
        judge: await startJudgeServer({
          judge: () => JSON.stringify({ Quality: { score: 0.7, reason: 'so' } }),
        }),
        receiver: await startReceiver(),
      };
    },
    async stop() {
      await parts?.judge.stop();
      await parts?.receiver.stop();
    },
  };
};
