import { port } from './port.js';

type Facts = Readonly<Record<string, unknown>>;

/** One line per call; facts are fields beside the sentence. Never hand it a key, a password or a body. */
export interface Log {
  /** Someone must act. */
  error(sentence: string, facts?: Facts): void;
  /** Will be retried, or runs degraded. */
  warn(sentence: string, facts?: Facts): void;
  /** The life of the process. */
  info(sentence: string, facts?: Facts): void;
  debug(sentence: string, facts?: Facts): void;
}
export const Log = port<Log>('log');
