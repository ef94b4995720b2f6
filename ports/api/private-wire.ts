// What rows of the private wire have in common: where SDKs of LLM observability look for them, and by what they name the workspace.
import { projectScope, reach } from '../model/projects.js';
import { workspace } from '../model/workspaces.js';
import { maybe, one } from './operation.js';
import { integer, list, object, optional, shape, text, texts, type TSchema } from './schema.js';

/** An SDK is given an address that ends in `/api` or `/opik/api`, or in neither; below it the paths are the same. */
export const everywhere = <const P extends string>(path: P) =>
  [path, `/api${path}`, `/opik/api${path}`] as const;

/** The workspace of the header, or the caller's own where the header names none. */
export const headerWorkspace = maybe(workspace, 'header.comet-workspace');

/** The same, narrowed to the project of a key that has one. */
export const reachedOfHeader = maybe(reach, 'header.comet-workspace');

/** A workspace that is out of reach and one that is not there are refused alike. */
export const refusedWorkspace = { refusals: { absent: { status: 403 } } } as const;

/** For rows below a project of the path. */
export const belowProject = {
  params: object({ projectId: text() }),
  access: { needs: 'read', about: one(projectScope, 'params.projectId') },
} as const;

/** Which page of a list is asked for: pages count from 1, and hold ten where nothing is said. */
export const paged = {
  page: optional(integer()),
  size: optional(integer()),
} as const;

/** A page of a list. `total` counts all of it; the names to sort by are there for clients of either spelling. */
export const pageMembers = <T extends TSchema>(of: T) => ({
  page: integer(),
  size: integer(),
  total: integer(),
  content: list(of),
  sortableBy: texts(),
  sortable_by: texts(),
});
export const pageOf = <T extends TSchema>(name: string, of: T) =>
  shape(name, 'A page of a list; `size` is how many it holds.', pageMembers(of));

/** Who made a record and who changed it last, as every reply says it. */
export const authorship = {
  created_at: text(),
  created_by: text(),
  last_updated_at: text(),
  last_updated_by: text(),
} as const;

/** Ids of what is deleted, each once. */
export const manyIds = object({ ids: texts() });
