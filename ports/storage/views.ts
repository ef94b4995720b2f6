import { once, reads, sets, type Methods } from './methods.js';

/** A way of looking at a project, or at one experiment in it. */
export interface View {
  readonly id: string;
  readonly projectId: string;
  /** Of one experiment only. */
  readonly experimentKey: string | undefined;
  readonly name: string;
  /** What the client keeps in it: JSON text of an object, as sent. */
  readonly content: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewView extends Omit<View, 'experimentKey'> {
  readonly experimentId: string | undefined;
}

export interface ViewStore {
  insert(view: NewView): Promise<void>;
  /** Replaces name and content of a view of this project. Says whether there was one. */
  update(
    projectId: string,
    id: string,
    change: Pick<View, 'name' | 'content' | 'updatedAt'>,
  ): Promise<boolean>;
  /** Says whether this project had one. */
  remove(projectId: string, id: string): Promise<boolean>;
  find(projectId: string, id: string): Promise<View | undefined>;
  /** Inside a transaction: the same, keeping everybody else from changing it until it ends. */
  lock(projectId: string, id: string): Promise<View | undefined>;
  /** Views of the project itself, or of one experiment in it, in the order they were made. */
  list(projectId: string, experimentId: string | undefined): Promise<readonly View[]>;
}

export const viewMethods: Methods<ViewStore> = {
  remove: once,
  insert: once,
  update: sets,
  find: reads,
  lock: once,
  list: reads,
};
