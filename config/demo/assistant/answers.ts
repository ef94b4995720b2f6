// Traces of an assistant over a week: a plan, a search that now and then fails, an answer, and what people thought of it.
import { v7 } from 'uuid';
import { chances, type Chances } from '../chances.js';
import type { DemoClient } from '../client.js';
import { questions, type Question } from './questions.js';

export const wire = '/v1/private';
const [days, dayMs, together] = [7, 86_400_000, 500] as const;
const system = 'You answer people about the streets of the city. Be brief, and name your source.';
const topics = ['lights', 'bins'] as const;

export interface Answered {
  readonly traceId: string;
  readonly question: Question;
  readonly failed: boolean;
  readonly helpful: number | undefined;
}

type Row = Readonly<Record<string, unknown>>;
interface Turn {
  readonly trace: Row;
  readonly spans: readonly Row[];
  readonly scores: readonly Row[];
  readonly of: Answered;
}

const iso = (at: number): string => new Date(Math.round(at)).toISOString();
const failure = {
  exception_type: 'TimeoutError',
  message: 'the index of permits did not answer within 8 s',
  traceback: 'Traceback (most recent call last):\n  File "search.py", line 41, in search',
};

/** What the model is said to have used; longer answers cost more. */
const usageOf = (given: string, made: string, before: number) => {
  const prompt_tokens = Math.round(given.length / 4) + before;
  const completion_tokens = Math.round(made.length / 4) + 12;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
};

/** One question with its answer, which began at a time (ms). */
const turnAt = (
  project: string,
  began: number,
  chance: Chances,
  {
    question,
    asks,
    answer,
    thread,
  }: {
    readonly question: Question;
    readonly asks: string;
    readonly answer: string;
    readonly thread: string;
  },
): Turn => {
  const traceId = v7({ msecs: Math.round(began) });
  const failed = chance.next() < (question.topic === 'permits' ? 0.2 : 0.03);
  const slow = question.topic === topics[0] ? 2.4 : 1;
  const [planMs, lookMs, writeMs] = [
    280 + chance.next() * 260,
    (190 + chance.next() * 420) * slow,
    600 + chance.next() * 900,
  ];
  const searchMs = failed ? 8000 : 240 + chance.next() * 500;
  const lasts = planMs + Math.max(lookMs, searchMs) + (failed ? 0 : writeMs) + 30;
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: asks },
  ];
  const said = failed
    ? undefined
    : { choices: [{ message: { role: 'assistant', content: answer } }] };
  const span = (name: string, from: number, lastsMs: number, rest: Row): Row & { id: string } => ({
    id: v7({ msecs: Math.round(began + from) }),
    ...{ trace_id: traceId, project_name: project, name },
    ...{ start_time: iso(began + from), end_time: iso(began + from + lastsMs) },
    ...rest,
  });
  const model = { type: 'llm', model: 'gpt-4o-mini', provider: 'openai' };
  const root = span('answer a resident', 0, lasts, { type: 'general', input: { question: asks } });
  const below = { parent_span_id: root.id };
  const spans = [
    root,
    span('plan', 10, planMs, {
      ...{ ...below, ...model, input: { messages } },
      output: {
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: ['look up street', `search ${question.topic}`].map((name) => ({
                function: { name, arguments: JSON.stringify({ text: asks }) },
              })),
            },
          },
        ],
      },
      usage: usageOf(system + asks, 'a'.repeat(160), 420),
    }),
    span('look up street', planMs + 15, lookMs, {
      ...{ ...below, type: 'tool', input: { text: asks } },
      output: { street: 'found', district: 'centre' },
    }),
    span(`search ${question.topic}`, planMs + 18, searchMs, {
      ...{ ...below, type: 'tool', input: { text: asks, limit: 5 } },
      ...(failed ? { error_info: failure } : { output: { found: 3, best: answer } }),
    }),
    ...(failed
      ? []
      : [
          span('write the answer', planMs + Math.max(lookMs, searchMs) + 20, writeMs, {
            ...{ ...below, ...model, model: 'gpt-4o', input: { messages } },
            output: said,
            usage: usageOf(system + asks, answer, 1300),
          }),
        ]),
  ];
  const thought = chance.next();
  const helpful =
    failed || thought > 0.6
      ? undefined
      : thought < (question.topic === 'bins' ? 0.25 : 0.07)
        ? 0
        : 1;
  const score = (name: string, value: number): Row => ({
    ...{ id: traceId, project_name: project, name, value, source: 'sdk' },
  });
  return {
    trace: {
      ...{ id: traceId, project_name: project, name: 'answer a resident', thread_id: thread },
      ...{ start_time: iso(began), end_time: iso(began + lasts), input: { messages } },
      ...(said === undefined ? { error_info: failure } : { output: said }),
      tags: [question.topic],
      metadata: {
        release: began % 5 < 3 ? '2.4.0' : '2.3.1',
        channel: 'web',
        topic: question.topic,
      },
    },
    spans,
    scores: [
      ...(helpful === undefined ? [] : [score('helpful', helpful)]),
      ...(failed ? [] : [score('grounded', Math.round((0.6 + chance.next() * 0.4) * 100) / 100)]),
    ],
    of: { traceId, question, failed, helpful },
  };
};

/** Conversations of one or two turns, more of them by day than by night, the last some minutes ago. */
const conversations = (project: string, now: number, count: number): readonly Turn[] => {
  const chance = chances(4711);
  const turns: Turn[] = [];
  while (turns.length < count) {
    const ago = chance.next() ** 1.2 * days * dayMs + 120_000;
    const hour = new Date(now - ago).getUTCHours();
    if (chance.next() > (hour > 6 && hour < 20 ? 1 : 0.3)) continue;
    const question = chance.pick(questions);
    const thread = `chat-${String(turns.length + 1).padStart(4, '0')}`;
    const { asks, answer, then } = question;
    turns.push(turnAt(project, now - ago, chance, { question, asks, answer, thread }));
    if (then !== undefined && chance.next() < 0.6) {
      const [next, reply] = then;
      const later = now - ago + Math.min(ago - 60_000, 20_000 + chance.next() * 90_000);
      turns.push(turnAt(project, later, chance, { question, asks: next, answer: reply, thread }));
    }
  }
  return turns;
};

const inParts = async (rows: readonly Row[], send: (part: readonly Row[]) => Promise<unknown>) => {
  for (let from = 0; from < rows.length; from += together)
    await send(rows.slice(from, from + together));
};

/** Logs a week of at least `count` answers; hands them out in no order. */
export const logAnswers = async (
  client: DemoClient,
  project: string,
  { now, count }: { readonly now: number; readonly count: number },
): Promise<readonly Answered[]> => {
  const turns = conversations(project, now, count);
  await inParts(
    turns.map(({ trace }) => trace),
    (traces) => client.ask('POST', `${wire}/traces/batch`, { traces }),
  );
  await inParts(
    turns.flatMap(({ spans }) => spans),
    (spans) => client.ask('POST', `${wire}/spans/batch`, { spans }),
  );
  await inParts(
    turns.flatMap(({ scores }) => scores),
    (scores) => client.ask('PUT', `${wire}/traces/feedback-scores`, { scores }),
  );
  return turns.map(({ of }) => of);
};
