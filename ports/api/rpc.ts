// Calls into a running script: it registers functions, others call them, the run fetches the calls and tells the results.
import { experiment } from '../model/experiments.js';
import { one, operations } from './operation.js';
import {
  anything,
  flag,
  list,
  millis,
  nullable,
  object,
  optional,
  text,
  texts,
  word,
  shape,
} from './schema.js';
import { live, read, saved, write } from './tracking.js';

const inBody = one(experiment, 'body.experimentKey');
const inQuery = one(experiment, 'query.experimentKey');
const keyed = object({ experimentKey: text() });
const argument = shape('CallArgument', 'An argument of a remote call.', {
  name: text(),
  value: anything(),
});
const credential = 'body.apiKey' as const;

export const rpcOperations = operations({
  registerFunction: {
    method: 'POST',
    path: live('/rpc/register-rpc'),
    access: { needs: 'write', about: inBody },
    wire: { credential },
    summary: 'Register a function of a run that may be called from outside',
    body: object({
      apiKey: optional(text()),
      experimentKey: text(),
      functionName: text({ min: 1 }),
      functionDocumentation: optional(text()),
      argumentNames: optional(texts()),
    }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  takeCalls: {
    method: 'GET',
    path: live('/rpc/get-pending-rpcs'),
    access: { needs: 'write', about: inQuery },
    summary: 'Fetch the calls that wait for a run; each is given once',
    query: keyed,
    // The client drops a call that has any other member.
    replies: {
      200: object({
        remoteProcedureCalls: list(
          object({
            callId: text(),
            userName: text(),
            functionName: text(),
            cometDefined: flag(),
            arguments: list(argument),
            createdAt: millis(),
          }),
        ),
      }),
    },
    fails: ['invalid'],
  },
  saveResult: {
    method: 'POST',
    path: live('/rpc/save-rpc-result'),
    access: { needs: 'write', about: inBody },
    wire: { credential },
    summary: 'Tell the result of a call',
    body: object({
      apiKey: optional(text()),
      experimentKey: text(),
      callId: text(),
      result: optional(text()),
      errorMessage: optional(text()),
      errorStackTrace: optional(text()),
      startTimeMs: optional(millis()),
      endTimeMs: optional(millis()),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
  callFunction: {
    method: 'POST',
    path: write('/experiment/rpc'),
    access: { needs: 'write', about: inBody },
    summary: 'Call a function that a run has registered',
    body: object({
      experimentKey: text(),
      functionName: text({ min: 1 }),
      arguments: optional(list(argument, { maxItems: 1000 })),
      cometDefined: optional(flag()),
    }),
    replies: { 200: saved({ callId: text() }) },
    fails: ['invalid', 'conflict'],
  },
  listCalls: {
    method: 'GET',
    path: read('/experiment/rpc'),
    access: { needs: 'read', about: inQuery },
    summary: 'Functions of a run, and the calls made of them, newest first',
    query: keyed,
    replies: {
      200: object({
        functions: list(
          object({
            functionName: text(),
            functionDocumentation: text(),
            argumentNames: list(text()),
          }),
        ),
        calls: list(
          object({
            callId: text(),
            functionName: text(),
            arguments: list(argument),
            userName: text(),
            createdAt: millis(),
            status: word('waiting', 'taken', 'done'),
            result: nullable(text()),
            errorMessage: nullable(text()),
            errorStackTrace: nullable(text()),
            startTimeMs: nullable(millis()),
            endTimeMs: nullable(millis()),
          }),
        ),
      }),
    },
    fails: ['invalid'],
  },
});
