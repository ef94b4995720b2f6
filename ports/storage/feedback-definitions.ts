import type { Touch } from '../model/authorship.js';
import type { DefinitionType, FeedbackDefinition } from '../model/feedback-definitions.js';
import { once, reads, sets, type Methods } from './methods.js';

export type DefinitionChange = Touch &
  Pick<FeedbackDefinition, 'name' | 'description' | 'type' | 'details'>;

/** Definitions of scores by workspace. */
export interface FeedbackDefinitionStore {
  /** Rejects with `conflict` when the workspace has one of that id or name. */
  insert(definition: FeedbackDefinition): Promise<void>;
  find(workspaceId: string, id: string): Promise<FeedbackDefinition | undefined>;
  /** Those whose name holds a part in any case, of a type; the greatest id first. */
  list(listing: {
    readonly workspaceId: string;
    readonly name?: string;
    readonly type?: DefinitionType;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly total: number; readonly content: readonly FeedbackDefinition[] }>;
  /** Replaces what it says. Rejects with `conflict` when the name is taken. Says whether it was there. */
  replace(workspaceId: string, id: string, change: DefinitionChange): Promise<boolean>;
  /** Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const feedbackDefinitionMethods: Methods<FeedbackDefinitionStore> = {
  insert: once,
  find: reads,
  list: reads,
  replace: sets,
  remove: sets,
};
