import { kind } from '../api/kind.js';

/** A panel written by a user, kept as the archive that was uploaded. */
export interface Panel {
  readonly id: string;
  readonly workspaceId: string;
  readonly ownerName: string;
  readonly name: string;
  /** JSON text of the archive's description: the name, the code and what belongs to it. */
  readonly template: string;
  readonly createdAt: number;
  readonly revisedAt: number;
}
export const panel = kind<Panel>()('panel');
