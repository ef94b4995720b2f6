import type { Comment } from '../model/comments.js';
import { once, reads, sets, type Methods } from './methods.js';

export type NewComment = Omit<Comment, 'authorName' | 'editedAt'>;

export interface CommentListing {
  /** What they are about: a run, or a version with its model. */
  readonly about:
    { readonly experimentId: string } | { readonly modelId: string; readonly versionId: string };
  /** Only those behind this one. */
  readonly afterId?: string;
  readonly limit: number;
}

/** Comments go with the run or version that they are about. */
export interface CommentStore {
  insert(comment: NewComment): Promise<void>;
  find(id: string): Promise<Comment | undefined>;
  /** In the order of their ids, which is that in which they were made. */
  list(listing: CommentListing): Promise<readonly Comment[]>;
  /** How many there are about a run or version. */
  count(about: CommentListing['about']): Promise<number>;
  /** Says whether it was there. */
  edit(id: string, text: string, at: number): Promise<boolean>;
  /** Says whether it was there. */
  remove(id: string): Promise<boolean>;
}

export const commentMethods: Methods<CommentStore> = {
  insert: once,
  find: reads,
  list: reads,
  count: reads,
  edit: sets,
  remove: once,
};
