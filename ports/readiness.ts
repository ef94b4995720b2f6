import { port } from './port.js';

export interface Readiness {
  /** What keeps the server from doing its work, in one sentence; `undefined` when nothing does. */
  fault(): Promise<string | undefined>;
  /** What keeps it from taking in anything at the moment, in one sentence; `undefined` when nothing is known to. Costs nothing. */
  refusal(): string | undefined;
  /** Says that everything was made that a first request may need: the server is not ready before. */
  started(): void;
  /** Says that the server is stopping: it is not ready from then on. */
  stopping(): void;
}
export const Readiness = port<Readiness>('readiness');
