import { kind } from '../api/kind.js';
import type { Project } from './projects.js';

/** What a link names that a client printed: it may be in any workspace of who opens it. */
export interface Linked {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** `undefined` for what is the workspace's. */
  readonly project: Project | undefined;
  readonly visibility: 'private' | 'public';
}
export const linkedTrace = kind<Linked>()('linkedTrace');
export const linkedDataset = kind<Linked>()('linkedDataset');
export const linkedEvaluation = kind<Linked>()('linkedEvaluation');
export const linkedOptimization = kind<Linked>()('linkedOptimization');
