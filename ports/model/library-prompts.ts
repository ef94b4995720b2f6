import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const promptStructures = ['text', 'chat'] as const;
export type PromptStructure = (typeof promptStructures)[number];
export const promptTypes = ['mustache', 'jinja2', 'python'] as const;
export type PromptType = (typeof promptTypes)[number];

/** A prompt of a workspace's library, of which every change of its text makes a version. */
export interface LibraryPrompt extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  /** `undefined` for one that is the workspace's. */
  readonly projectId: string | undefined;
  readonly name: string;
  readonly description: string | undefined;
  readonly structure: PromptStructure;
  readonly tags: readonly string[] | undefined;
  readonly versionCount: number;
}
export const libraryPrompt = kind<LibraryPrompt>()('libraryPrompt');

/** `metadata` holds JSON text; `template` of a chat prompt holds the JSON text of its messages. */
export interface LibraryPromptVersion {
  readonly workspaceId: string;
  readonly promptId: string;
  readonly id: string;
  /** From 1 on, without gaps. */
  readonly number: number;
  /** A short name, unique in the prompt. */
  readonly commit: string;
  readonly template: string;
  readonly metadata: string | undefined;
  readonly type: PromptType;
  readonly changeDescription: string | undefined;
  readonly tags: readonly string[] | undefined;
  /** Names of environments that it is for; one environment has one version of a prompt. */
  readonly environments: readonly string[];
  readonly createdAt: number;
  readonly createdBy: string;
}
/** A version and the prompt that it is of. */
export interface PlacedPromptVersion extends LibraryPromptVersion {
  readonly prompt: LibraryPrompt;
  /** That of the prompt. */
  readonly projectId: string | undefined;
}
export const libraryPromptVersion = kind<PlacedPromptVersion>()('libraryPromptVersion');
