// What rows of the private wire have in common: where SDKs of LLM observability look for them, and by what they name the workspace.
import { workspace } from '../model/workspaces.js';
import { maybe } from './operation.js';

/** An SDK is given an address that ends in `/api` or `/opik/api`, or in neither; below it the paths are the same. */
export const everywhere = <const P extends string>(path: P) =>
  [path, `/api${path}`, `/opik/api${path}`] as const;

/** The workspace of the header, or the caller's own where the header names none. */
export const headerWorkspace = maybe(workspace, 'header.comet-workspace');

/** A workspace that is out of reach and one that is not there are refused alike. */
export const refusedWorkspace = { refusals: { absent: { status: 403 } } } as const;
