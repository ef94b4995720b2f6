// Requests that are being answered: who works on something that may come a little later stands back behind them.
import { port } from './port.js';

export interface Traffic {
  /** Waits until no request is being answered, at most this many ms; says whether that happened. One that streams or waits counts for its first moments alone. */
  quiet(ms: number): Promise<boolean>;
  /** How many requests there have been. Who has seen a number before knows whether others came since. */
  begun(): number;
}
export const Traffic = port<Traffic>('traffic');
