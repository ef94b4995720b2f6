import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

/** A name under which applications run (`production`, `staging`); traces and versions of prompts refer to it by name. */
export interface Environment extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** `#RRGGBB`. */
  readonly color: string | undefined;
  readonly position: number | undefined;
}
export const environment = kind<Environment>()('environment');
