// Which evaluations a list or its groups are of.
import type { ProjectScope } from '#ports/model/projects';
import { given } from '../private-wire/given.js';
import { readFilters } from '../private-wire/filters.js';
import { evaluationFields, readTypes, isBlank } from './rules.js';

export const selectionOf = (
  query: {
    readonly types?: string | undefined;
    readonly name?: string | undefined;
    readonly project_deleted?: boolean | undefined;
    readonly filters?: string | undefined;
  },
  { workspace, project }: ProjectScope,
) => ({
  workspaceId: workspace.id,
  ...given({
    projectId: project?.id,
    name: query.name,
    types: isBlank(query.types) ? undefined : readTypes(query.types),
    projectDeleted: query.project_deleted === true ? true : undefined,
  }),
  filters: readFilters(query.filters, evaluationFields),
});
