// Answers the requests of one row: the steps to its handler in their order, the handler, the reply.
import type { Context } from 'koa';
import type { Route } from '../route.js';
import {
  admitByAddress,
  admitByBody,
  permitValues,
  refuseNul,
  validateAddress,
} from './admitting.js';
import { holdMemory, refuseRepeatedNames, requireReadiness, requireToggle } from './available.js';
import { readBody, readForm, readLeadingParts, requireJson, validateBody } from './body.js';
import { callOf, handleUnderAudit, noteTurnedAway, type Admitted } from './handling.js';
import { identifyCaller, judgeClient, requireCsrf, requireToken } from './identifying.js';
import { meterCall } from './metering.js';
import { begin, type AnswerNeeds, type StepMaker } from './incoming.js';
import { replying } from './replying.js';
import { rowOf } from './row.js';

/** The way of every request to its handler. */
const way: readonly StepMaker[] = [
  refuseRepeatedNames,
  requireToggle,
  requireReadiness,
  requireToken,
  holdMemory,
  identifyCaller,
  judgeClient,
  refuseNul,
  readLeadingParts,
  readForm,
  requireCsrf,
  requireJson,
  admitByAddress,
  validateAddress,
  readBody,
  admitByBody,
  validateBody,
  permitValues,
  meterCall,
];

/** Makes what answers one row. It rejects with whatever the request is refused for. */
export const answering = (route: Route, needs: AnswerNeeds): ((ctx: Context) => Promise<void>) => {
  const row = rowOf(route, needs.bounds);
  const steps = way.flatMap((make) => make(row, needs) ?? []);
  const reply = replying(route, needs);
  const audited = route.operation.audit === true;
  const handle = audited
    ? handleUnderAudit(route, needs.audit)
    : (_ctx: Context, { call }: Admitted) => route.handle(call);

  const admit = async (ctx: Context, again: boolean): Promise<Admitted> => {
    const incoming = begin(ctx, route.operation, again);
    for (const step of steps) {
      const pending = step(incoming);
      if (pending !== undefined) await pending;
    }
    return callOf(incoming, needs.cookies);
  };
  const admitAudited = async (ctx: Context): Promise<Admitted> => {
    try {
      return await admit(ctx, false);
    } catch (thrown) {
      await noteTurnedAway(route, needs.audit, ctx, thrown);
      throw thrown;
    }
  };
  const admitted = audited ? admitAudited : (ctx: Context) => admit(ctx, false);
  // A chain and not one function, in whose frame the whole body would stay while the handler waits for the database.
  return (ctx) =>
    admitted(ctx)
      .then((given) => handle(ctx, given))
      .then((result) => reply(ctx, result, () => admit(ctx, true)));
};
