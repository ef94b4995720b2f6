// What clients send to the private wire, each with what is read back of it.
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import type { Answer, BreakableServer, Json } from './world.js';

/** One request, of things that no other one has. */
export interface Sending {
  send(): Promise<Answer>;
  /** Everything that others see of it. */
  read(): Promise<unknown>;
  /** Whether its reply tells that all was done; so it does when left out. What a job could not do it leaves to its next run. */
  readonly tells?: boolean;
  /** Whether others see anything of it; so they do when left out. */
  readonly shows?: boolean;
  /** Whether it is done in steps of which each may be seen. */
  readonly inParts?: boolean;
  /** Whatever must come to pass before it is sent again. */
  again?(): Promise<unknown>;
  /** Takes away what would be in the way of others. */
  end?(): Promise<unknown>;
}
export interface Case {
  readonly title: string;
  /** The one database on which it is tried, where it takes long and its statements are those of other cases. */
  readonly only?: string;
  prepare(server: BreakableServer): Promise<Sending>;
}

const start_time = '2026-05-01T10:00:00.000000Z';
const end_time = '2026-05-01T10:00:02.500000Z';
const text = (word: string) => ({ text: `${word} `.repeat(400) });
const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** Asks as a client does that knows that all is well. */
export const client = (server: BreakableServer) => {
  const need = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { status, text: said } = await server.ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${said}`);
    return JSON.parse(said === '' ? '{}' : said) as Json; // an object, as every reply of the private wire that is read here
  };
  /** What a GET tells, or that it is not there. */
  const look = async (path: string): Promise<unknown> => {
    const { status, text: said } = await server.ask('GET', path);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`${path} answered ${status}: ${said}`);
    return JSON.parse(said) as unknown;
  };
  const lines = async (path: string, body: Json): Promise<unknown> => {
    const { status, text: said } = await server.ask('POST', path, body);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`${path} answered ${status}: ${said}`);
    return said
      .split('\r\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  };
  return { need, look, lines };
};

export interface Begun extends ReturnType<typeof client> {
  readonly server: BreakableServer;
  readonly project_name: string;
  readonly project_id: string;
}

/** A case in a project of its own. */
export const inProject = (title: string, make: (begun: Begun) => Promise<Sending>): Case => ({
  title,
  async prepare(server) {
    const asking = client(server);
    const project_name = freshName('project');
    await asking.need('POST', 'projects', { name: project_name });
    const { content } = await asking.need('GET', `projects?name=${project_name}`);
    const [project] = content as readonly { readonly id: string }[]; // as the row has it
    return make({ ...asking, server, project_name, project_id: project?.id ?? '' });
  },
});

export const entries = async ({ look, lines, project_name }: Begun): Promise<unknown> => ({
  traces: await lines('traces/search', { project_name, truncate: false }),
  spans: await lines('spans/search', { project_name, truncate: false }),
  threads: await look(`traces/threads?project_name=${project_name}`),
  traceStatistics: await look(`traces/stats?project_name=${project_name}`),
});

const aTrace = ({ project_name }: Begun, more: Json = {}) => ({
  ...{ id: v7(), project_name, name: 'call', start_time, end_time },
  ...{ input: text('in'), output: text('out'), metadata: { k: 1 }, tags: ['a', 'b'], ...more },
});
const aSpan = ({ project_name }: Begun, trace_id: string, more: Json = {}) => ({
  ...{ id: v7(), project_name, trace_id, name: 'step', type: 'llm', start_time, end_time },
  ...{ input: text('in'), output: text('out'), model: 'gpt-4o', provider: 'openai' },
  ...{ usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }, ...more },
});

/** A case over a trace with two spans in a thread, which are there. */
const overTrace = (
  title: string,
  make: (
    begun: Begun,
    ids: {
      readonly traceId: string;
      readonly spanIds: readonly string[];
      readonly thread_id: string;
    },
  ) => Promise<readonly [method: string, path: string, body: unknown]>,
): Case =>
  inProject(title, async (begun) => {
    const thread_id = freshName('thread');
    const trace = aTrace(begun, { thread_id });
    const spans = [aSpan(begun, trace.id), aSpan(begun, trace.id)];
    await begun.need('POST', 'traces/batch', { traces: [trace] });
    await begun.need('POST', 'spans/batch', { spans });
    const ids = { traceId: trace.id, spanIds: spans.map(({ id }) => id), thread_id };
    const [method, path, body] = await make(begun, ids);
    return { send: () => begun.server.ask(method, path, body), read: () => entries(begun) };
  });

const tracing: readonly Case[] = [
  {
    title: 'a trace of a project that is not there yet',
    async prepare(server) {
      const { look, lines } = client(server);
      const project_name = freshName('project');
      const id = v7();
      const body = { id, project_name, name: 'first', start_time, input: text('in') };
      return {
        send: () => server.ask('POST', 'traces', body),
        read: async () => {
          const { content } = (await look(`projects?name=${project_name}`)) as {
            readonly content: readonly unknown[];
          }; // as the row has it
          return {
            // The project alone may be there already.
            projects: content.length > 1 ? content.length : 'one or none',
            trace: await look(`traces/${id}`),
            traces: (await lines('traces/search', { project_name })) ?? [],
          };
        },
      };
    },
  },
  inProject('a batch of traces', async (begun) => {
    const thread_id = freshName('thread');
    const traces = [aTrace(begun), aTrace(begun, { thread_id }), aTrace(begun, { thread_id })];
    return {
      send: () => begun.server.ask('POST', 'traces/batch', { traces }),
      read: () => entries(begun),
    };
  }),
  inProject('a batch of spans', async (begun) => {
    const trace_id = v7();
    const spans = Array.from({ length: 5 }, () => aSpan(begun, trace_id));
    return {
      send: () => begun.server.ask('POST', 'spans/batch', { spans }),
      read: () => entries(begun),
    };
  }),
  inProject('spans of OpenTelemetry', async (begun) => {
    const [traceId, spanId, childId] = [v7().replaceAll('-', ''), '00f067aa0ba902b7', 'b7ad6b71'];
    const span = (id: string, more: Json) => ({
      ...{ traceId, spanId: id, name: 'otel', kind: 1, status: {}, ...more },
      startTimeUnixNano: '1777629600000000000',
      endTimeUnixNano: '1777629601000000000',
      attributes: [{ key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } }],
    });
    const body = {
      resourceSpans: [
        {
          resource: { attributes: [] },
          scopeSpans: [
            {
              scope: { name: 'made' },
              spans: [span(spanId, {}), span(`${childId}69203331`, { parentSpanId: spanId })],
            },
          ],
        },
      ],
    };
    return {
      // Spans may be there before their trace, as those of other requests are.
      inParts: true,
      send: () =>
        begun.server.ask('POST', 'otel/v1/traces', body, 'application/json', {
          projectName: begun.project_name,
        }),
      read: () => entries(begun),
    };
  }),
  overTrace('the end of a trace', async ({ project_name }, { traceId }) => [
    'PATCH',
    `traces/${traceId}`,
    { project_name, output: text('changed'), end_time: '2026-05-01T10:00:09.000000Z' },
  ]),
  overTrace('the end of a span', async ({ project_name }, { traceId, spanIds }) => [
    'PATCH',
    `spans/${spanIds[0]}`,
    { project_name, trace_id: traceId, output: text('changed'), tags: ['late'] },
  ]),
  overTrace('the same traces once more, with other bodies', async (begun, { traceId }) => [
    'POST',
    'traces/batch',
    {
      traces: [
        {
          ...aTrace(begun, { output: text('new') }),
          id: traceId,
          last_updated_at: '2099-01-01T00:00:00Z',
        },
      ],
    },
  ]),
  overTrace('scores of traces', async ({ project_name }, { traceId }) => [
    'PUT',
    'traces/feedback-scores',
    {
      scores: [
        { id: traceId, project_name, name: 'good', value: 0.5, source: 'sdk', reason: 'so' },
        { id: traceId, project_name, name: 'brief', value: 1, source: 'sdk' },
      ],
    },
  ]),
  overTrace('scores of spans', async ({ project_name }, { spanIds }) => [
    'PUT',
    'spans/feedback-scores',
    {
      scores: spanIds.map((id) => ({ id, project_name, name: 'good', value: 0.5, source: 'sdk' })),
    },
  ]),
  overTrace('what guardrails found', async ({ project_name }, { traceId, spanIds }) => [
    'POST',
    'guardrails',
    {
      guardrails: [
        {
          ...{ entity_id: traceId, secondary_id: spanIds[0], project_name, name: 'PII' },
          ...{ result: 'failed', config: {}, details: {} },
        },
      ],
    },
  ]),
  overTrace('the end of a thread', async ({ project_name }, { thread_id }) => [
    'PUT',
    'traces/threads/close',
    { project_name, thread_id },
  ]),
  overTrace('scores of a thread', async (begun, { thread_id }) => {
    const { project_name } = begun;
    await begun.need('PUT', 'traces/threads/close', { project_name, thread_id });
    return [
      'PUT',
      'traces/threads/feedback-scores',
      { scores: [{ thread_id, project_name, name: 'kind', value: 1, source: 'sdk' }] },
    ];
  }),
  overTrace('the deletion of a trace', async (_begun, { traceId }) => [
    'POST',
    'traces/delete',
    { ids: [traceId] },
  ]),
  overTrace('the deletion of a thread', async ({ project_name }, { thread_id }) => [
    'POST',
    'traces/threads/delete',
    { project_name, thread_ids: [thread_id] },
  ]),
];

const path = 'aHR0cDovL2xvY2FsaG9zdC9hcGk=';
/** A case over a trace to which a file is, or was, attached. */
const overFile = (
  title: string,
  make: (begun: Begun, of: Json, query: URLSearchParams) => Promise<() => Promise<Answer>>,
): Case =>
  inProject(title, async (begun) => {
    const trace = aTrace(begun);
    await begun.need('POST', 'traces', trace);
    const of = { entity_type: 'trace', entity_id: trace.id, project_name: begun.project_name };
    const query = new URLSearchParams({ ...of, file_name: 'a.txt', mime_type: 'text/plain' });
    const download = new URLSearchParams({
      ...{ entity_type: 'trace', entity_id: trace.id, container_id: begun.project_id },
      ...{ file_name: 'a.txt', mime_type: 'text/plain' },
    });
    const send = await make(begun, of, query);
    return {
      send,
      read: async () => {
        const listed = new URLSearchParams({
          ...{ entity_type: 'trace', entity_id: trace.id, project_id: begun.project_id, path },
        });
        const { status, text: bytes } = await begun.server.ask(
          'GET',
          `attachment/download?${download}`,
        );
        return {
          list: await begun.look(`attachment/list?${listed}`),
          bytes: status === 404 ? undefined : bytes,
        };
      },
    };
  });
const attaching: readonly Case[] = [
  overFile(
    'a file of a trace',
    async ({ server }, _of, query) =>
      () =>
        server.ask('PUT', `attachment/upload?${query}`, 'some bytes', 'application/octet-stream'),
  ),
  overFile('a file in place of another', async ({ server }, _of, query) => {
    await server.ask('PUT', `attachment/upload?${query}`, 'first', 'application/octet-stream');
    return () =>
      server.ask('PUT', `attachment/upload?${query}`, 'second', 'application/octet-stream');
  }),
  overFile('the deletion of a file', async ({ server }, of, query) => {
    await server.ask('PUT', `attachment/upload?${query}`, 'bytes', 'application/octet-stream');
    return () => server.ask('POST', 'attachment/delete', { ...of, file_names: ['a.txt'] });
  }),
];

const items = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: v7(), source: 'sdk', data: { question: `q${at}`, long: text('word') } },
  }));
const datasetState = async ({ look }: Begun, id: string): Promise<unknown> => ({
  dataset: await look(`datasets/${id}`),
  versions: await look(`datasets/${id}/versions`),
  items: await look(`datasets/${id}/items?size=100`),
});
/** A case over a dataset with three items in one version. */
const overDataset = (
  title: string,
  make: (
    begun: Begun,
    made: { readonly id: string; readonly name: string; readonly itemIds: readonly string[] },
  ) => Promise<readonly [method: string, path: string, body: unknown, type?: string]>,
): Case =>
  inProject(title, async (begun) => {
    const [id, name] = [v7(), freshName('dataset')];
    const first = items(3);
    await begun.need('POST', 'datasets', { id, name, project_name: begun.project_name });
    await begun.need('PUT', 'datasets/items', { dataset_id: id, items: first });
    const made = { id, name, itemIds: first.map((one) => one.id) };
    const [method, at, body, type] = await make(begun, made);
    return {
      send: () => begun.server.ask(method, at, body, type),
      read: () => datasetState(begun, id),
    };
  });

const datasets: readonly Case[] = [
  inProject('a dataset', async (begun) => {
    const [id, name] = [v7(), freshName('dataset')];
    return {
      send: () =>
        begun.server.ask('POST', 'datasets', { id, name, project_name: begun.project_name }),
      read: () => datasetState(begun, id),
    };
  }),
  overDataset('items of a dataset', async (_begun, { id }) => [
    'PUT',
    'datasets/items',
    { dataset_id: id, batch_group_id: v7(), items: items(4) },
  ]),
  overDataset('more items of a version that has some already', async ({ need }, { id }) => {
    const batch_group_id = v7();
    await need('PUT', 'datasets/items', { dataset_id: id, batch_group_id, items: items(2) });
    return ['PUT', 'datasets/items', { dataset_id: id, batch_group_id, items: items(2) }];
  }),
  overDataset('the change of an item', async (_begun, { itemIds }) => [
    'PATCH',
    `datasets/items/${itemIds[1]}`,
    { data: { question: 'another' } },
  ]),
  overDataset('the deletion of items', async (_begun, { itemIds }) => [
    'POST',
    'datasets/items/delete',
    { item_ids: itemIds.slice(1), batch_group_id: v7() },
  ]),
  {
    only: 'postgres',
    ...overDataset('a file of more items than are stored at once', async (_begun, { id }) => {
      const part = (name: string, content: string) =>
        `--part\r\nContent-Disposition: form-data; name="${name}"${name === 'file' ? '; filename="items.json"' : ''}\r\n\r\n${content}\r\n`;
      const rows = Array.from({ length: 501 }, (_, at) => ({ id: v7(), question: `q${at}` }));
      return [
        'POST',
        'datasets/items/from-json',
        `${part('dataset_id', id)}${part('file', JSON.stringify(rows))}--part--\r\n`,
        'multipart/form-data; boundary=part',
      ];
    }),
  },
  overDataset('the deletion of a dataset', async (_begun, { id }) => [
    'DELETE',
    `datasets/${id}`,
    undefined,
  ]),
];

const evaluationState = async (
  { look }: Begun,
  id: string,
  datasetId: string,
): Promise<unknown> => ({
  evaluation: await look(`experiments/${id}`),
  items: await look(
    `datasets/${datasetId}/items/experiments/items?experiment_ids=${encoded([id])}`,
  ),
});
/** A case over a dataset with two items and an evaluation of it. */
const overEvaluation = (
  title: string,
  make: (
    begun: Begun,
    made: {
      readonly id: string;
      readonly name: string;
      readonly dataset_name: string;
      readonly itemIds: readonly string[];
    },
  ) => Promise<readonly [method: string, path: string, body: unknown]>,
  inParts = false,
): Case =>
  inProject(title, async (begun) => {
    const { project_name } = begun;
    const [id, name, datasetId, dataset_name] = [v7(), freshName('eval'), v7(), freshName('set')];
    const own = items(2);
    await begun.need('POST', 'datasets', { id: datasetId, name: dataset_name, project_name });
    await begun.need('PUT', 'datasets/items', { dataset_id: datasetId, items: own });
    const made = { id, name, dataset_name, itemIds: own.map((one) => one.id) };
    const [method, at, body] = await make(begun, made);
    return {
      inParts,
      send: () => begun.server.ask(method, at, body),
      read: async () => ({
        evaluation: await evaluationState(begun, id, datasetId),
        entries: await entries(begun),
      }),
    };
  });
const evaluating: readonly Case[] = [
  overEvaluation('an experiment', async ({ project_name }, { id, name, dataset_name }) => [
    'POST',
    'experiments',
    { id, name, dataset_name, project_name, metadata: { model: 'x' } },
  ]),
  overEvaluation('items of an experiment', async (begun, { itemIds, ...made }) => {
    const { project_name } = begun;
    await begun.need('POST', 'experiments', { ...made, project_name });
    const traces = itemIds.map(() => aTrace(begun));
    await begun.need('POST', 'traces/batch', { traces });
    return [
      'POST',
      'experiments/items',
      {
        experiment_items: itemIds.map((dataset_item_id, at) => ({
          ...{ id: v7(), experiment_id: made.id, dataset_item_id, trace_id: traces[at]?.id },
        })),
      },
    ];
  }),
  overEvaluation('what assertions came to', async (begun, { itemIds, ...made }) => {
    const { project_name } = begun;
    const trace = aTrace(begun);
    await begun.need('POST', 'experiments', { ...made, project_name });
    await begun.need('POST', 'traces/batch', { traces: [trace] });
    await begun.need('POST', 'experiments/items', {
      experiment_items: [
        {
          ...{ id: v7(), experiment_id: made.id },
          ...{ dataset_item_id: itemIds[0], trace_id: trace.id },
        },
      ],
    });
    const result = { entity_id: trace.id, project_name, source: 'sdk' };
    return [
      'PUT',
      'assertion-results',
      {
        entity_type: 'TRACE',
        assertion_results: [
          { ...result, name: 'is kind', status: 'passed' },
          { ...result, name: 'is brief', status: 'failed' },
        ],
      },
    ];
  }),
  overEvaluation(
    'an experiment with its traces and scores in one request',
    async (begun, made) => [
      'PUT',
      'experiments/items/bulk',
      {
        ...{ experiment_name: made.name, dataset_name: made.dataset_name, experiment_id: made.id },
        project_name: begun.project_name,
        items: made.itemIds.map((dataset_item_id) => ({
          dataset_item_id,
          trace: aTrace(begun),
          feedback_scores: [{ name: 'good', value: 1, source: 'sdk' }],
        })),
      },
    ],
    // The experiment may be there before its items.
    true,
  ),
  overEvaluation('the deletion of an experiment', async (begun, { itemIds: _, ...made }) => {
    await begun.need('POST', 'experiments', { ...made, project_name: begun.project_name });
    return ['POST', 'experiments/delete', { ids: [made.id] }];
  }),
];

const others: readonly Case[] = [
  inProject('a prompt with its first version', async (begun) => {
    const [id, name] = [v7(), freshName('prompt')];
    return {
      send: () => begun.server.ask('POST', 'prompts', { id, name, template: 'Hello {{name}}' }),
      read: async () => ({
        prompt: await begun.look(`prompts/${id}`),
        versions: await begun.look(`prompts/${id}/versions`),
      }),
    };
  }),
  inProject('a version of a prompt', async (begun) => {
    const [id, name] = [v7(), freshName('prompt')];
    await begun.need('POST', 'prompts', { id, name, template: 'Hello {{name}}' });
    const version = { id: v7(), template: 'Good day {{name}}' };
    return {
      send: () => begun.server.ask('POST', 'prompts/versions', { name, version }),
      read: async () => ({
        prompt: await begun.look(`prompts/${id}`),
        versions: await begun.look(`prompts/${id}/versions`),
      }),
    };
  }),
  inProject('a version of a prompt that a configuration follows', async (begun) => {
    const name = freshName('prompt');
    const first = await begun.need('POST', 'prompts/versions', {
      ...{ name, version: { template: 'Hello' } },
    });
    await begun.need('POST', 'agent-configs/blueprints', {
      project_id: begun.project_id,
      blueprint: {
        ...{ id: v7(), type: 'blueprint' },
        values: [{ key: 'p', type: 'prompt', value: first['commit'] }],
      },
    });
    const version = { id: v7(), template: 'Good day' };
    return {
      inParts: true,
      send: () => begun.server.ask('POST', 'prompts/versions', { name, version }),
      read: async () => ({
        versions: await begun.look(`prompts/${String(first['prompt_id'])}/versions`),
        blueprints: await begun.look(
          `agent-configs/blueprints/history/projects/${begun.project_id}`,
        ),
      }),
    };
  }),
  inProject('an annotation queue', async (begun) => {
    const body = {
      ...{ id: v7(), project_id: begun.project_id, name: freshName('queue'), scope: 'trace' },
    };
    return {
      send: () => begun.server.ask('POST', 'annotation-queues', body),
      read: () => begun.look(`annotation-queues/${body.id}`),
    };
  }),
  ...['items of an annotation queue', 'a lock of an item'].map((title) =>
    inProject(title, async (begun) => {
      const [id, ids] = [v7(), [v7(), v7()]];
      const traces = ids.map((one) => aTrace(begun, { id: one }));
      await begun.need('POST', 'traces/batch', { traces });
      await begun.need('POST', 'annotation-queues', {
        ...{ id, project_id: begun.project_id, name: freshName('queue'), scope: 'trace' },
      });
      const locks = title === 'a lock of an item';
      if (locks) await begun.need('POST', `annotation-queues/${id}/items/add`, { ids });
      return {
        send: () =>
          locks
            ? begun.server.ask('PUT', `annotation-queues/${id}/items/${ids[0]}/lock`)
            : begun.server.ask('POST', `annotation-queues/${id}/items/add`, { ids }),
        read: async () => {
          const { locks: held } = (await begun.look(`annotation-queues/${id}/locks`)) as {
            readonly locks: Readonly<Record<string, Json>>;
          }; // as the row has it
          return {
            queue: await begun.look(`annotation-queues/${id}`),
            items: await begun.need('POST', `annotation-queues/${id}/items/search`, { ids }),
            locks: Object.entries(held).map(([of, lock]) => [of, lock['active_locks']]),
          };
        },
      };
    }),
  ),
  inProject('a blueprint', async (begun) => {
    const id = v7();
    const body = {
      project_id: begun.project_id,
      blueprint: {
        ...{ id, type: 'blueprint' },
        values: [{ key: 'temperature', type: 'float', value: '0.5' }],
      },
    };
    return {
      send: () => begun.server.ask('POST', 'agent-configs/blueprints', body),
      read: () => begun.look(`agent-configs/blueprints/history/projects/${begun.project_id}`),
    };
  }),
  inProject('a definition of scores', async (begun) => {
    const body = {
      ...{ id: v7(), name: freshName('score'), type: 'numerical', details: { min: 0, max: 1 } },
    };
    return {
      send: () => begun.server.ask('POST', 'feedback-definitions', body),
      read: () => begun.look(`feedback-definitions?name=${body.name}`),
    };
  }),
];

export const cases: readonly Case[] = [
  ...tracing,
  ...attaching,
  ...datasets,
  ...evaluating,
  ...others,
];
