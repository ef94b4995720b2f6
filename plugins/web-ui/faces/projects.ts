// The project that an address names.
import type { Ask } from './asking.js';

export interface Place {
  readonly workspace: string;
  readonly project: string;
}

/** The id of the project; rejects with `absent` where whoever asks sees none of that name. */
export const findProject = async (ask: Ask, { workspace, project }: Place): Promise<string> => {
  const { projectId } = await ask<{ readonly projectId: string }>('getProject', {
    query: { workspaceName: workspace, projectName: project },
  });
  return projectId;
};
