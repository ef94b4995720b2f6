// How many requests may have models asked at once.
import type { ChatModels } from '#ports/chat-model';
import { Failure } from '#ports/failure';

/** Chats of one workspace, and of all, that may go on at once in one process: each holds a connection, and up to some megabytes. */
const mostAtOnce = 32;
const mostInAll = 128;

export interface Chats {
  /** Gives back what ends the one that began. Rejects with `throttled` when there are too many. */
  begin(workspaceId: string): () => void;
}

/** Counts what goes on in each workspace. */
const counting = (): Chats => {
  const open = new Map<string, number>();
  let inAll = 0;
  return {
    begin(workspaceId) {
      const before = open.get(workspaceId) ?? 0;
      if (inAll >= mostInAll)
        throw new Failure('throttled', 'too many chats go on at once', { retryAfter: 5 });
      if (before >= mostAtOnce)
        throw new Failure('throttled', `a workspace has at most ${mostAtOnce} chats at once`, {
          retryAfter: 5,
        });
      open.set(workspaceId, before + 1);
      inAll++;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        inAll--;
        const left = (open.get(workspaceId) ?? 1) - 1;
        if (left === 0) open.delete(workspaceId);
        else open.set(workspaceId, left);
      };
    },
  };
};

const known = new WeakMap<ChatModels, Chats>();

/** What goes on with these models, whichever row began it. */
export const chatsWith = (models: ChatModels): Chats => {
  const chats = known.get(models) ?? counting();
  known.set(models, chats);
  return chats;
};
