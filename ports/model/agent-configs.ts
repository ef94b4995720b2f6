import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const blueprintTypes = ['blueprint', 'mask'] as const;
export type BlueprintType = (typeof blueprintTypes)[number];
export const configValueTypes = [
  'string',
  'integer',
  'float',
  'boolean',
  'prompt',
  'prompt_commit',
] as const;
export type ConfigValueType = (typeof configValueTypes)[number];

/** A value of a configuration, as the text that a client wrote; of the prompt types, the commit of a version. */
export interface ConfigValue {
  readonly key: string;
  /** `undefined` for null. */
  readonly value: string | undefined;
  readonly type: ConfigValueType;
  readonly description: string | undefined;
}

/** A version of a project's configuration, or a mask over one. It never changes, and keeps only the values that it sets itself. */
export interface Blueprint extends Authorship {
  readonly projectId: string;
  /** Made by the client. */
  readonly id: string;
  readonly type: BlueprintType;
  /** From 1 on without gaps; `undefined` for a mask. */
  readonly number: number | undefined;
  readonly description: string | undefined;
  /** Names of the environments that use it now, sorted. */
  readonly environments: readonly string[];
}
/** With the workspace that its project is in. */
export interface PlacedBlueprint extends Blueprint {
  readonly workspaceId: string;
}
export const blueprint = kind<PlacedBlueprint>()('blueprint');
