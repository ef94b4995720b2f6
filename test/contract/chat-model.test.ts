import { expect } from 'chai';
import { httpChatModels } from '#adapters/chat-model/http/chat-models';
import { createOutgoing } from '#adapters/system/outgoing';
import { judgeTargets } from '#adapters/system/targets';
import { chatWires, type ChatModel, type ChatPiece, type ChatWireName } from '#ports/chat-model';
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
