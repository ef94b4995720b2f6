// What rows of the private wire have in common: where SDKs of LLM observability look for them, and by what they name the workspace.
import { workspace } from '../model/workspaces.js';
import { maybe } from './operation.js';
import { integer, list, optional, shape, texts, type TSchema } from './schema.js';

/** An SDK is given an address that ends in `/api` or `/opik/api`, or in neither; below it the paths are the same. */
export const everywhere = <const P extends string>(path: P) =>
  [path, `/api${path}`, `/opik/api${path}`] as const;

/** The workspace of the header, or the caller's own where the header names none. */
export const headerWorkspace = maybe(workspace, 'header.comet-workspace');

/** A workspace that is out of reach and one that is not there are refused alike. */
export const refusedWorkspace = { refusals: { absent: { status: 403 } } } as const;

/** Which page of a list is asked for: pages count from 1, and hold ten where nothing is said. */
export const paged = {
  page: optional(integer()),
  size: optional(integer()),
} as const;

/** A page of a list. `total` counts all of it; the names to sort by are there for clients of either spelling. */
export const pageOf = <T extends TSchema>(name: string, of: T) =>
  shape(name, 'A page of a list; `size` is how many it holds.', {
    page: integer(),
    size: integer(),
    total: integer(),
    content: list(of),
    sortableBy: texts(),
    sortable_by: texts(),
  });
