// Whether a request is taken at all, before anybody asks whose it is.
import { Failure } from '#ports/failure';
import { stateOf } from '../state.js';
import type { StepMaker } from './incoming.js';

/** What a row answers while its toggle is off. */
export class SwitchedOff extends Failure {}

/** Refuses a query that names something twice, of which two readers would take different ones. */
export const refuseRepeatedNames: StepMaker = ({ operation }) =>
  operation.wire?.once !== true
    ? undefined
    : ({ ctx }) => {
        for (const [name, value] of Object.entries(ctx.query))
          if (Array.isArray(value))
            throw new Failure('invalid', `${name.slice(0, 60)} is sent twice`);
      };

export const requireToggle: StepMaker = ({ operation: { toggle } }, { toggles }) =>
  toggle === undefined
    ? undefined
    : () => {
        if (!toggles.isOn(toggle))
          throw new SwitchedOff('invalid', `this is switched off here (toggle ${toggle})`);
      };

/** Refuses what would be written while the server can take nothing in, for example when its disk is full. */
export const requireReadiness: StepMaker = ({ writes }, { readiness }) =>
  !writes
    ? undefined
    : () => {
        const refusal = readiness.refusal();
        if (refusal !== undefined) throw new Failure('unavailable', refusal, { retryAfter: 10 });
      };

/** Opens the account of the memory that the body takes; it is given back when the reply is out. */
export const holdMemory: StepMaker = ({ operation }, { budget }) =>
  operation.body === undefined
    ? undefined
    : (incoming) => {
        const held = budget.open();
        incoming.held = held;
        stateOf(incoming.ctx).held = held;
        incoming.ctx.res.once('close', () => {
          held.release();
        });
      };
