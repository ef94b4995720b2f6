import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type {
  ChatAnswer,
  ChatChunk,
  ChatFault,
  ChatModel,
  ChatPiece,
  ChatRequest,
  ChatStream,
  ChatTarget,
} from '#ports/chat-model';

/**
 * How a model behaves. `says`: "In Bern it is sunny 🦄.", or what the result of a tool is in the place of `sunny 🦄`; `calls`: calls `weather` with
 * `{"city":"Bern"}`, and says so with its result; where a form is asked for, both say `{"score":1,"reason":"é"}`; `short`: says "In Bern" and no
 * more, for the lack of tokens. Each takes 12 tokens, 3 of them cached, and makes 7. `refuses`: 400, "the temperature is too high"; `limits`: 429, to
 * be left alone for 7 s; `fails`: 500; `recovers`: 503 the first time, then as `says`; `repeats`: 401, and says all headers; `nonsense`: 200 with what is
 * no answer; `half`: begins an answer and ends it; `breaks-off`: begins a stream and closes the connection; `lingers`: begins a stream and says no
 * more; `silent`: never answers; `hangs-up`: closes the connection; `redirects`: to `says`.
 */
export type ModelBehaviour =
  | 'says'
  | 'calls'
  | 'short'
  | 'refuses'
  | 'limits'
  | 'fails'
  | 'recovers'
  | 'repeats'
  | 'nonsense'
  | 'half'
  | 'breaks-off'
  | 'lingers'
  | 'silent'
  | 'hangs-up'
  | 'redirects';

export interface ChatModelStage {
  readonly model: ChatModel;
  /** The name of a model that behaves so. */
  named(behaviour: ModelBehaviour): string;
  /** Where they are, opened by `key` and `headers`. */
  target(opening: Pick<ChatTarget, 'key' | 'headers'>): ChatTarget;
  /** Headers and body of every request that came so far, as JSON text. */
  asked(): readonly string[];
  /** How many requests were left before they were answered to their end. */
  left(): number;
  /** After how long at most the adapter gives a silent model up, in ms. */
  readonly silenceMs: number;
  stop(): Promise<void>;
}

const secret = 'opensesame-opensesame';
const user = (content: unknown) => ({ role: 'user', content });
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};
const form = {
  type: 'json_schema',
  json_schema: {
    name: 'judgement',
    strict: true,
    schema: {
      type: 'object',
      properties: { score: { type: 'integer' }, reason: { type: 'string' } },
      required: ['score', 'reason'],
      additionalProperties: false,
    },
  },
};
const sunny = 'In Bern it is sunny 🦄.';

const completionIn = (answer: ChatAnswer) => {
  if ('fault' in answer) throw new Error(`the model gave no answer: ${answer.fault.message}`);
  return answer.completion;
};
const choiceIn = (answer: ChatAnswer) => {
  const [choice, ...others] = completionIn(answer).choices;
  if (choice === undefined || others.length > 0) throw new Error('there is not one choice');
  return choice;
};
const faultIn = (answer: ChatAnswer | ChatStream): ChatFault => {
  if (!('fault' in answer)) throw new Error('the model answered');
  return answer.fault;
};
const readAll = async (stream: ChatStream): Promise<readonly ChatPiece[]> => {
  if ('fault' in stream) return [stream];
  const all: ChatPiece[] = [];
  for await (const piece of stream.pieces) all.push(piece);
  return all;
};
const chunksIn = (pieces: readonly ChatPiece[]): readonly ChatChunk[] =>
  pieces.map((piece) => {
    if ('fault' in piece) throw new Error(`the stream broke: ${piece.fault.message}`);
    return piece.chunk;
  });
/** What the chunks of a stream come to. */
const joined = (chunks: readonly ChatChunk[]) => {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  return {
    content: choices.map(({ delta }) => delta.content ?? '').join(''),
    ends: choices.flatMap((choice) => choice.finish_reason ?? []),
    call: {
      name: calls.map((call) => call.function?.name ?? '').join(''),
      arguments: calls.map((call) => call.function?.arguments ?? '').join(''),
    },
    ids: calls.flatMap((call) => call.id ?? []),
  };
};

/** What every model keeps to. */
export const chatModelContract = (open: () => Promise<ChatModelStage>): void => {
  let stage: ChatModelStage;
  before(async () => {
    stage = await open();
  });
  after(() => stage?.stop());
  const never = new AbortController().signal;
  const target = () => stage.target({ key: secret, headers: {} });
  const request = (behaviour: ModelBehaviour, more: Partial<ChatRequest> = {}): ChatRequest => ({
    model: stage.named(behaviour),
    messages: [user('How is the weather in Bern?')],
    ...more,
  });
  const ask = (behaviour: ModelBehaviour, more?: Partial<ChatRequest>) =>
    stage.model.complete(request(behaviour, more), target(), never);
  const stream = (behaviour: ModelBehaviour, more?: Partial<ChatRequest>) =>
    stage.model.stream(request(behaviour, more), target(), never);
  const countAsked = async (work: () => Promise<unknown>): Promise<number> => {
    const before = stage.asked().length;
    await work();
    return stage.asked().length - before;
  };
  const until = async (holds: () => boolean): Promise<boolean> => {
    for (let tries = 0; tries < 200 && !holds(); tries++) await pause(10);
    return holds();
  };

  it('gives what the model says, why it ended, and what it took', async () => {
    const answer = await ask('says');

    const { object, created, model, usage } = completionIn(answer);
    const { index, finish_reason, message } = choiceIn(answer);
    expect([object, created > 1_600_000_000, model]).to.deep.equal([
      'chat.completion',
      true,
      stage.named('says'),
    ]);
    expect([index, finish_reason, message.role, message.content]).to.deep.equal([
      0,
      'stop',
      'assistant',
      sunny,
    ]);
    expect(message.tool_calls).to.equal(undefined);
    expect(usage).to.deep.equal({
      prompt_tokens: 12,
      completion_tokens: 7,
      total_tokens: 19,
      prompt_tokens_details: { cached_tokens: 3 },
    });
  });

  it('gives the same in pieces, with one end, and with what it took where that is asked for', async () => {
    const chunks = chunksIn(
      await readAll(await stream('says', { stream_options: { include_usage: true } })),
    );

    expect(chunks.length).to.be.greaterThan(2);
    expect(new Set(chunks.map(({ object }) => object))).to.deep.equal(
      new Set(['chat.completion.chunk']),
    );
    const { content, ends } = joined(chunks);
    expect([content, ends]).to.deep.equal([sunny, ['stop']]);
    expect(chunks.at(-1)).to.deep.include({ choices: [] });
    expect(chunks.at(-1)?.usage).to.include({ prompt_tokens: 12, completion_tokens: 7 });
    expect(chunks.at(0)?.choices[0]?.delta.role).to.equal('assistant');
  });

  it('gives pieces as they come', async () => {
    const began = performance.now();
    const lingering = await stream('lingers');
    if ('fault' in lingering) throw new Error(lingering.fault.message);
    for await (const piece of lingering.pieces) {
      expect('chunk' in piece).to.equal(true);
      break;
    }
    expect(performance.now() - began).to.be.lessThan(stage.silenceMs * 0.75);
  });

  it('tells the model what it is asked, and shows it the key and the headers of its target', async () => {
    const opened = stage.target({ key: secret, headers: { 'X-Own': 'kept' } });
    const odd = 'é🦄\u202e"\'\\\u0007<b>';

    completionIn(
      await stage.model.complete(
        request('says', { messages: [{ role: 'system', content: 'Be brief.' }, user(odd)] }),
        opened,
        never,
      ),
    );

    const told = stage.asked().at(-1) ?? '';
    expect([secret, 'kept', 'Be brief.'].map((one) => told.includes(one))).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(told).to.include(JSON.stringify(odd).slice(1, -1));
  });

  it('tells of a call of a tool, at once and in pieces, and brings its result', async () => {
    const tools = [weather];
    const answer = choiceIn(await ask('calls', { tools, tool_choice: 'auto' }));
    const inPieces = joined(chunksIn(await readAll(await stream('calls', { tools }))));

    const [call, ...others] = answer.message.tool_calls ?? [];
    expect([answer.finish_reason, others.length, call?.type, call?.function?.name]).to.deep.equal([
      'tool_calls',
      0,
      'function',
      'weather',
    ]);
    expect(JSON.parse(call?.function?.arguments ?? '')).to.deep.equal({ city: 'Bern' });
    expect([inPieces.call.name, inPieces.ends, inPieces.ids.length]).to.deep.equal([
      'weather',
      ['tool_calls'],
      1,
    ]);
    expect(JSON.parse(inPieces.call.arguments)).to.deep.equal({ city: 'Bern' });
    const messages = [
      user('How is the weather in Bern?'),
      { role: 'assistant', content: null, tool_calls: answer.message.tool_calls },
      { role: 'tool', tool_call_id: call?.id, content: 'rainy' },
    ];
    expect(choiceIn(await ask('calls', { tools, messages })).message.content).to.equal(
      'In Bern it is rainy.',
    );
  });

  it('gives an answer the form that is asked for, at once and in pieces', async () => {
    const judged = { score: 1, reason: 'é' };
    const { message, finish_reason } = choiceIn(await ask('says', { response_format: form }));
    const { content, ends } = joined(
      chunksIn(await readAll(await stream('says', { response_format: form }))),
    );

    expect([JSON.parse(message.content ?? ''), finish_reason, message.tool_calls]).to.deep.equal([
      judged,
      'stop',
      undefined,
    ]);
    expect([JSON.parse(content), ends]).to.deep.equal([judged, ['stop']]);
  });

  it('says when an answer is short for the lack of tokens', async () => {
    expect(choiceIn(await ask('short', { max_tokens: 2 })).finish_reason).to.equal('length');
    expect(joined(chunksIn(await readAll(await stream('short')))).ends).to.deep.equal(['length']);
  });

  it('takes any content: of several kinds, empty, or none of the known', async () => {
    const image = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: image } },
    ];
    expect(choiceIn(await ask('says', { messages: [user(parts)] })).message.content).to.equal(
      sunny,
    );
    const [first] = parts;
    for (const [content, says] of [
      [first, 'What is this?'],
      [{ odd: 'kingfisher' }, 'kingfisher'],
    ] as const) {
      choiceIn(await ask('says', { messages: [user(content)] }));
      expect(stage.asked().at(-1)).to.include(says);
    }
    for (const messages of [
      [],
      [user('')],
      [user(null)],
      [user([{ type: 'smell', smell: 'sweet' }])],
      [{}],
      [
        { role: 'tool', content: { a: 1 } },
        { role: 'assistant', tool_calls: 'none' },
      ],
    ]) {
      const answer = await ask('says', { messages });
      if ('fault' in answer)
        expect([answer.fault.status, answer.fault.retry]).to.deep.equal([400, false]);
    }
  });

  it('tells of a refusal with its status and words, and does not try again', async () => {
    let [at, of]: (ChatFault | undefined)[] = [];
    const asked = await countAsked(async () => {
      at = faultIn(await ask('refuses'));
      of = faultIn(await stream('refuses'));
    });

    const refusal = { status: 400, message: 'the temperature is too high', retry: false };
    expect([at, of, asked]).to.deep.equal([refusal, refusal, 2]);
  });

  it('tells how long it is asked to wait', async () => {
    for (const fault of [faultIn(await ask('limits')), faultIn(await stream('limits'))])
      expect([fault.status, fault.retry, fault.retryAfter]).to.deep.equal([429, true, 7]);
  });

  it('tries again what may go better, and not for ever', async () => {
    expect(choiceIn(await ask('recovers')).message.content).to.equal(sunny);
    for (const behaviour of ['fails', 'hangs-up'] as const) {
      let fault: ChatFault | undefined;
      const asked = await countAsked(async () => {
        fault = faultIn(await ask(behaviour));
      });
      expect([fault?.retry, fault?.status, asked > 1 && asked < 10]).to.deep.equal([
        true,
        behaviour === 'fails' ? 500 : undefined,
        true,
      ]);
    }
  });

  it('tells nonsense and half an answer from an answer', async () => {
    for (const behaviour of ['nonsense', 'half'] as const) {
      const fault = faultIn(await ask(behaviour));
      expect([behaviour, fault.status, fault.message.length > 5]).to.deep.equal([
        behaviour,
        undefined,
        true,
      ]);
    }
    expect(faultIn((await readAll(await stream('nonsense'))).at(-1) as ChatStream)).to.include({
      status: undefined,
    }); // a piece with a fault has its form
  });

  it('ends a stream that is not whole with a fault, behind what came', async () => {
    for (const behaviour of ['half', 'breaks-off'] as const) {
      const pieces = await readAll(await stream(behaviour));
      const last = pieces.at(-1);
      expect([behaviour, pieces.length > 1, last !== undefined && 'fault' in last]).to.deep.equal([
        behaviour,
        true,
        true,
      ]);
      expect(pieces.slice(0, -1).some((piece) => 'fault' in piece)).to.equal(false);
    }
  });

  it('gives a silent model up, before its answer and within it', async () => {
    const began = performance.now();
    expect(faultIn(await ask('silent')).status).to.equal(undefined);
    expect(faultIn(await stream('silent')).status).to.equal(undefined);
    const last = (await readAll(await stream('lingers'))).at(-1);
    expect(last !== undefined && 'fault' in last).to.equal(true);
    expect(performance.now() - began).to.be.lessThan(6 * stage.silenceMs + 2000);
  });

  it('ends its request when the signal aborts, without rejecting', async () => {
    for (const act of ['complete', 'stream'] as const) {
      const [given, before] = [new AbortController(), stage.left()];
      setTimeout(() => {
        given.abort();
      }, 50);
      const began = performance.now();
      faultIn(await stage.model[act](request('silent'), target(), given.signal));
      expect([act, performance.now() - began < stage.silenceMs / 2]).to.deep.equal([act, true]);
      expect(await until(() => stage.left() > before), act).to.equal(true);
    }
  });

  it('ends its request when nobody reads the stream any more, or the signal aborts within it', async () => {
    for (const aborts of [false, true]) {
      const [given, before] = [new AbortController(), stage.left()];
      const lingering = await stage.model.stream(request('lingers'), target(), given.signal);
      if ('fault' in lingering) throw new Error(lingering.fault.message);
      for await (const piece of lingering.pieces) {
        if ('fault' in piece) break;
        if (aborts) given.abort();
        else break;
      }
      expect(await until(() => stage.left() > before), String(aborts)).to.equal(true);
    }
  });

  it('follows no redirect', async () => {
    let fault: ChatFault | undefined;
    const asked = await countAsked(async () => {
      fault = faultIn(await ask('redirects'));
    });
    expect([typeof fault?.message, asked]).to.deep.equal(['string', 1]);
  });

  it('reveals no secret of its target', async () => {
    const opened = stage.target({ key: secret, headers: { 'X-Secret': `${secret}-2` } });
    for (const behaviour of ['repeats', 'hangs-up', 'nonsense'] as const) {
      const fault = faultIn(await stage.model.complete(request(behaviour), opened, never));
      expect(JSON.stringify(fault)).not.to.include(secret);
    }
  });
};
