import type { Panel } from '../model/panels.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface NewPanel {
  readonly id: string;
  readonly workspaceId: string;
  readonly ownerId: string;
  readonly name: string;
  readonly template: string;
  /** The uploaded zip, at most 8 MiB. */
  readonly archive: Uint8Array;
  readonly createdAt: number;
}

export interface PanelStore {
  insert(panel: NewPanel): Promise<void>;
  /** Replaces what is kept of a panel of this workspace. Says whether there was one. */
  revise(
    workspaceId: string,
    id: string,
    change: Pick<NewPanel, 'name' | 'template' | 'archive'> & { readonly revisedAt: number },
  ): Promise<boolean>;
  /** Says whether there was one. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<Panel | undefined>;
  readArchive(id: string): Promise<Uint8Array | undefined>;
  /** In the order they were made. */
  list(workspaceId: string): Promise<readonly Panel[]>;
}

export const panelMethods: Methods<PanelStore> = {
  remove: once,
  insert: once,
  revise: sets,
  find: reads,
  readArchive: reads,
  list: reads,
};
