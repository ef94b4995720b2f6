import { runServer } from '../server.js';
import { firstEntry } from './unzip.js';

/** The uncommitted changes of a run; empty where it logged none. */
export const readPatch = async (run: string, signal: AbortSignal): Promise<string> => {
  const bytes = await runServer.getPatch({ query: { experimentKey: run } }, signal);
  // Where there is none, the reply is JSON.
  const entry = bytes instanceof ArrayBuffer ? await firstEntry(bytes) : undefined;
  return entry === undefined ? '' : new TextDecoder().decode(entry);
};
