import { kind } from '../api/kind.js';

/** `em` holds experiments, `llm` holds runs of the prompt-logging client; one project holds one kind only. */
export type ProjectKind = 'em' | 'llm';

export interface Project {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly public: boolean;
  readonly kind: ProjectKind;
  readonly ownerId: string;
  readonly ownerUserName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
export const project = kind<Project>()('project');
