import { Readable } from 'node:stream';
import { expect } from 'chai';
import { httpChatModels } from '#adapters/chat-model/http/chat-models';
import { dataOf } from '#adapters/chat-model/http/server-events';
import { createOutgoing } from '#adapters/system/outgoing';
import { judgeTargets } from '#adapters/system/targets';
import { chatWires, type ChatModel, type ChatPiece, type ChatWireName } from '#ports/chat-model';
import { isFailure } from '#ports/failure';
import { startModelServer } from '#test/clients/model-server';
import { chatModelContract, type ChatModelStage } from './chat-model.js';
import { runAside } from './teeth.js';

const silenceMs = 400;
const models = httpChatModels({
  outgoing: createOutgoing(judgeTargets('127.0.0.1')),
  now: () => Date.now(),
  limits: { limitMs: silenceMs, silenceMs, streamMs: 5000, baseDelayMs: 5, mostBytes: 100_000 },
});

const stageOf =
  (wire: ChatWireName, model: ChatModel = models.find(wire)) =>
  async (): Promise<ChatModelStage> => {
    const server = await startModelServer();
    return {
      model,
      named: (behaviour) => `script-${behaviour}`,
      target: (opening) => ({ baseUrl: server.baseUrl(wire), ...opening }),
      asked: () => server.asked().map(({ headers, body }) => JSON.stringify({ headers, body })),
      left: () => server.left(),
      silenceMs,
      stop: () => server.stop(),
    };
  };

for (const wire of chatWires)
  describe(`a model by the wire of ${wire}`, () => {
    chatModelContract(stageOf(wire));
  });

describe('the data of events', () => {
  const dataIn = async (texts: readonly string[], most = 100) => {
    const all: string[] = [];
    try {
      for await (const data of dataOf(Readable.from(texts.map((text) => Buffer.from(text))), most))
        all.push(data);
    } catch (thrown) {
      all.push(isFailure(thrown) ? thrown.kind : 'another');
    }
    return all;
  };

  it('is found whatever its lines end with, and wherever its bytes are parted', async () => {
    const text = ': hello\r\nevent: a\r\ndata: {"é":1}\r\n\r\ndata:b\ndata: c\n\n\ndata: last';

    expect(await dataIn([text])).to.deep.equal(['{"é":1}', 'b\nc', 'last']);
    expect(await dataIn(text.split(''))).to.deep.equal(['{"é":1}', 'b\nc', 'last']);
  });

  it('is refused where it has no end', async () => {
    const many = Array.from({ length: 50 }, () => 'data: abc\n\n');
    expect(await dataIn(many)).to.have.length(50);
    expect(await dataIn(['data: ', ...Array.from({ length: 50 }, () => 'abc')])).to.deep.equal([
      'unavailable',
    ]);
    expect(await dataIn(Array.from({ length: 50 }, () => 'data: abc\n'))).to.deep.equal([
      'unavailable',
    ]);
  });
});

describe('the suite of models', () => {
  const sound = models.find('openai');
  const withPieces = (
    change: (pieces: readonly ChatPiece[]) => readonly ChatPiece[],
  ): ChatModel => ({
    ...sound,
    async stream(request, target, signal) {
      const came = await sound.stream(request, target, signal);
      if ('fault' in came) return came;
      const all: ChatPiece[] = [];
      for await (const piece of came.pieces) all.push(piece);
      return {
        pieces: (async function* () {
          yield* change(all);
        })(),
      };
    },
  });
  const mutants: Readonly<Record<string, ChatModel>> = {
    'drops the tools': {
      ...sound,
      complete: ({ tools: _, messages, ...request }, target, signal) =>
        sound.complete({ ...request, messages: messages.slice(0, 1) }, target, signal),
    },
    'hides that a stream broke': withPieces((pieces) => pieces.filter((one) => 'chunk' in one)),
    'reads a stream to its end first': withPieces((pieces) => pieces),
    'ignores the signal': {
      ...sound,
      complete: (request, target) => sound.complete(request, target, new AbortController().signal),
    },
    'shows no key': {
      ...sound,
      complete: (request, target, signal) =>
        sound.complete(request, { ...target, key: undefined }, signal),
    },
    'tells no reason': {
      ...sound,
      async complete(request, target, signal) {
        const answer = await sound.complete(request, target, signal);
        return 'fault' in answer
          ? { fault: { status: undefined, message: 'it failed', retry: false } }
          : answer;
      },
    },
  };

  for (const [fault, model] of Object.entries(mutants))
    it(`turns red for one that ${fault}`, async () => {
      const { failed } = await runAside(
        () => {
          chatModelContract(stageOf('openai', model));
        },
        { bail: true },
      );

      expect(failed).not.to.deep.equal([]);
    }).timeout(30_000);
});
