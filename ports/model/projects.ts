import { kind, kindWithDefault } from '../api/kind.js';
import type { Workspace } from './workspaces.js';

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

/** Where a request of the private wire writes or reads: a project of a workspace, by id or by name, which may not be there yet. */
export interface ProjectTarget {
  readonly workspace: Workspace;
  /** `undefined` where there is none of that name. */
  readonly project: Project | undefined;
  /** By what the request named it, as items of a batch are grouped: one text for everything that means the same project. */
  readonly naming: string;
  /** The name to make it under. */
  readonly name: string;
  /** Whether the request named a project, and did not leave it to the server. */
  readonly named: boolean;
}
/** A project to write to; left out, the one that clients log to when they are told none. */
export const projectTarget = kindWithDefault<ProjectTarget>()('projectTarget');

/** What a list may be narrowed to: one project, or the whole workspace where the request names none. */
export interface ProjectScope {
  readonly workspace: Workspace;
  readonly project: Project | undefined;
  /** Whether the request, or the project that its key is narrowed to, named a project; it names one that is not there where `project` is missing. */
  readonly named: boolean;
}
export const projectScope = kindWithDefault<ProjectScope>()('projectScope');

/** All of a workspace that a credential reaches: for rows that name no project. */
export const reach = kindWithDefault<ProjectScope>()('reach');
