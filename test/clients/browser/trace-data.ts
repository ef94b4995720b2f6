// Traces of a project as an SDK sends them: conversations, failures, a tree of tools, and one of very many spans.
import { v7 } from 'uuid';
import type { Screens } from './signed-in.js';

const wire = '/opik/api/v1/private';
const secondMs = 1000;

export interface SentTraces {
  /** The newest: an agent with tools, of which one failed, and a circle of two spans. */
  readonly agent: string;
  /** Its spans by their names. */
  readonly spans: Readonly<Record<string, string>>;
  /** One with stored text that would be markup. */
  readonly hostile: string;
  /** One of `manySpans` spans. */
  readonly large: string;
  /** One that has not ended. */
  readonly running: string;
  readonly count: number;
}
export const manySpans = 3000;
export const markup = '<img src=x onerror="document.title=\'run\'"><b>bold</b>';
export const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

/** An entry of the project that began so long ago. */
const entryAt = (agoMs: number, lastsMs: number | undefined, rest: object): Entry => {
  const start = Date.now() - agoMs;
  return {
    id: v7({ msecs: start }),
    project_name: 'vision',
    start_time: new Date(start).toISOString(),
    ...(lastsMs === undefined ? {} : { end_time: new Date(start + lastsMs).toISOString() }),
    ...rest,
  };
};

const talk = (at: number): Entry =>
  entryAt(60 * secondMs * (at + 10), 100 + 10 * at, {
    name: `chat ${at}`,
    input: { messages: [{ role: 'user', content: `question ${at}` }] },
    output: { choices: [{ message: { role: 'assistant', content: `answer ${at}` } }] },
    tags: at % 2 === 0 ? ['even'] : ['odd'],
    thread_id: at < 6 ? 'thread/one' : undefined,
    metadata: { user: { id: `user-${at}` } },
  });

const failure = {
  exception_type: 'TimeoutError',
  message: 'the index did not answer',
  traceback: 'Traceback (most recent call last):\n  File "search.py", line 7',
};

const agentTrace = (): Entry =>
  entryAt(5 * secondMs, 2000, {
    name: 'agent',
    thread_id: 'thread/one',
    input: {
      messages: [
        { role: 'system', content: `Be **brief**. ${'Rules. '.repeat(80)}` },
        { role: 'user', content: 'Where is my *refund*?' },
      ],
    },
    output: { answer: 'on its way' },
    tags: ['prod'],
  });

/** The spans of the agent: a root, two models, a tool that failed, one whose parent never came, and two in a circle. */
const agentSpans = (trace_id: string): readonly Entry[] => {
  const span = (name: string, from: number, lasts: number, rest: object = {}) =>
    entryAt(5 * secondMs - from, lasts, { name, trace_id, type: 'general', ...rest });
  const root = span('agent.run', 0, 1900);
  const circle = span('circle a', 1800, 10);
  const other = span('circle b', 1810, 10, { parent_span_id: circle.id });
  return [
    root,
    span('plan', 10, 300, {
      ...{ parent_span_id: root.id, type: 'llm', model: 'gpt-4o', provider: 'openai' },
      usage: { prompt_tokens: 700, completion_tokens: 110, total_tokens: 810 },
      input: { messages: [{ role: 'user', content: 'plan it' }] },
      output: {
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ function: { name: 'search', arguments: '{"term":"refund"}' } }],
            },
          },
        ],
      },
    }),
    span('search', 400, 1200, { parent_span_id: root.id, type: 'tool', error_info: failure }),
    span('answer', 1650, 200, {
      ...{ parent_span_id: root.id, type: 'llm', model: 'gpt-4o', provider: 'openai' },
      usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 },
    }),
    span('orphan', 1700, 20, { parent_span_id: v7() }),
    { ...circle, parent_span_id: other.id },
    other,
  ];
};

const largeSpans = (trace_id: string): readonly Entry[] => {
  const ago = 40 * secondMs;
  const root = entryAt(ago, 30_000, { name: 'root', trace_id, type: 'general' });
  return [
    root,
    ...Array.from({ length: manySpans - 1 }, (_, at) =>
      entryAt(ago - 10 * at, 9, {
        ...{ name: `step ${at}`, trace_id, parent_span_id: root.id, type: 'tool' },
        ...(at === 2500 ? { error_info: failure } : {}),
      }),
    ),
  ];
};

/** Sends them, of each trace its spans, and gives out what they are called. */
export const sendTraces = async (screens: Screens): Promise<SentTraces> => {
  const agent = agentTrace();
  const talks = Array.from({ length: 120 }, (_, at) => talk(at));
  const hostile = entryAt(20 * secondMs, 50, {
    name: markup,
    input: { messages: [{ role: 'user', content: markup }] },
    output: { text: markup, [markup]: '<script>document.title="run"</script>' },
    tags: [markup],
    metadata: { picture },
  });
  const large = entryAt(40 * secondMs, 30_000, { name: 'large' });
  const running = entryAt(3 * secondMs, undefined, { name: 'unfinished' });
  const failed = entryAt(30 * secondMs, 70, { name: 'broken', error_info: failure });
  const traces = [agent, ...talks, hostile, large, running, failed];
  await screens.ask('POST', `${wire}/traces/batch`, { traces });
  const spans = agentSpans(agent.id);
  const all = [...spans, ...largeSpans(large.id)];
  for (let from = 0; from < all.length; from += 1000)
    await screens.ask('POST', `${wire}/spans/batch`, { spans: all.slice(from, from + 1000) });
  await screens.ask('PUT', `${wire}/traces/feedback-scores`, {
    scores: talks.slice(0, 4).map(({ id }, at) => ({
      ...{ id, project_name: 'vision', name: 'helpful', source: 'sdk' },
      value: at / 4,
    })),
  });
  const file = await fetch(
    `${screens.server.url}${wire}/attachment/upload?${new URLSearchParams({
      ...{ entity_type: 'trace', entity_id: agent.id, file_name: 'seen.png' },
      ...{ project_name: 'vision', mime_type: 'image/png' },
    }).toString()}`,
    {
      method: 'PUT',
      headers: { authorization: screens.server.apiKey },
      body: Buffer.from(picture.split(',')[1] ?? '', 'base64'),
    },
  );
  if (!file.ok) throw new Error(`the upload answered ${file.status}: ${await file.text()}`);
  return {
    agent: agent.id,
    spans: Object.fromEntries(spans.map((one) => [String(one['name']), one.id])),
    hostile: hostile.id,
    large: large.id,
    running: running.id,
    count: traces.length,
  };
};

/** One more trace, as if it came while somebody looks. */
export const sendOneMore = async (screens: Screens, name: string): Promise<string> => {
  const one = entryAt(0, 10, { name });
  await screens.ask('POST', `${wire}/traces/batch`, { traces: [one] });
  return one.id;
};

/** A trace as it is stored. */
export const readTrace = (screens: Screens, id: string): Promise<Record<string, unknown>> =>
  screens.ask('GET', `${wire}/traces/${id}`);
export const readSpan = (screens: Screens, id: string): Promise<Record<string, unknown>> =>
  screens.ask('GET', `${wire}/spans/${id}`);
export const readThread = (screens: Screens, id: string): Promise<Record<string, unknown>> =>
  screens.ask('POST', `${wire}/traces/threads/retrieve`, {
    ...{ project_name: 'vision', thread_id: id },
  });
