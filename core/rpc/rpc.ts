import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { rpcOperations } from '#ports/api/rpc';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { storageOf } from '#ports/storage/storage';
import { queueCall } from './offers.js';

const needs = { storage: storageOf('rpc'), clock: Clock, ids: Ids };
const mostListed = 1000;

/** Clients send an empty text for what there is not. */
const unlessEmpty = (text: string | undefined) => (text === '' ? undefined : text);

export const rpcArea = area({
  name: 'rpc',
  summary: 'Calls into a running script: it registers functions, others call them.',
  family: trackingFamily,
  table: rpcOperations,
  needs,
  handlers: ({ storage, clock, ids }) => {
    const { rpc } = storage.stores;
    return {
      async registerFunction({ body, experiment }) {
        await rpc.register(experiment.id, {
          name: body.functionName,
          documentation: body.functionDocumentation ?? '',
          argumentNames: body.argumentNames ?? [],
        });
        return {};
      },
      async takeCalls({ experiment }) {
        const calls = await rpc.take(experiment.id);
        return {
          remoteProcedureCalls: calls.map((call) => ({
            callId: call.id,
            userName: call.userName,
            functionName: call.functionName,
            cometDefined: call.builtIn,
            arguments: call.arguments,
            createdAt: call.createdAt,
          })),
        };
      },
      async saveResult({ body, experiment }) {
        const { callId, result, errorMessage, errorStackTrace, startTimeMs, endTimeMs } = body;
        const known = await rpc.finish(experiment.id, callId, {
          result,
          errorMessage: unlessEmpty(errorMessage),
          errorStackTrace: unlessEmpty(errorStackTrace),
          startTimeMs,
          endTimeMs,
        });
        if (
          !known &&
          !(await rpc.list(experiment.id, mostListed)).some((call) => call.id === callId)
        )
          throw new Failure('absent', `call ${callId.slice(0, 80)} not found`);
        return {};
      },
      async callFunction({ body, experiment, caller }) {
        const callId = await queueCall(
          storage.stores,
          { clock, ids },
          {
            experimentId: experiment.id,
            functionName: body.functionName,
            builtIn: body.cometDefined ?? false,
            arguments: body.arguments ?? [],
            userName: caller.userName,
          },
        );
        return { callId };
      },
      async listCalls({ experiment }) {
        const [functions, calls] = await Promise.all([
          rpc.listFunctions(experiment.id),
          rpc.list(experiment.id, mostListed),
        ]);
        return {
          functions: functions.map(({ name, documentation, argumentNames }) => ({
            functionName: name,
            functionDocumentation: documentation,
            argumentNames,
          })),
          calls: calls.map((call) => ({
            callId: call.id,
            functionName: call.functionName,
            arguments: call.arguments,
            userName: call.userName,
            createdAt: call.createdAt,
            status: call.status,
            result: call.result ?? null,
            errorMessage: call.errorMessage ?? null,
            errorStackTrace: call.errorStackTrace ?? null,
            startTimeMs: call.startTimeMs ?? null,
            endTimeMs: call.endTimeMs ?? null,
          })),
        };
      },
    };
  },
});
