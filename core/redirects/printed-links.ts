import { area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { printedLinkOperations } from '#ports/api/printed-links';
import { Failure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import { storageOf } from '#ports/storage/storage';
import { Toggles } from '#ports/toggles';
import { placeShown, shownInWebUi } from './places.js';

/** Experiments that one link names at most. */
const mostLinked = 10;

const readIds = (text: string): readonly string[] => {
  const unfit = new Failure('invalid', 'experiments must be a JSON list of ids');
  let ids: unknown;
  try {
    ids = JSON.parse(text);
  } catch {
    throw unfit;
  }
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw unfit;
  return ids.slice(0, mostLinked);
};

/** Their paths begin with a name of any kind, so the area is to be mounted after every other one. */
export const printedLinksArea = area({
  name: 'printed-links',
  summary: 'Links that the Python SDK of LLM observability puts together and people open.',
  family: pageFamily,
  table: printedLinkOperations,
  needs: { toggles: Toggles, storage: storageOf('evaluations') },
  handlers: ({ toggles, storage: { stores } }) => {
    const traces = async ({ project }: { readonly project: Project }) =>
      placeShown(toggles, project, ['p', project.name, 'traces']);
    return {
      async openEvaluations({ query, linkedDataset: { id, workspaceId, workspaceName } }) {
        const asked = await Promise.all(
          readIds(query.experiments).map((one) => stores.evaluations.find(workspaceId, one)),
        );
        // Whoever may read the dataset may know which experiments ran over it, and of no others.
        const [first, ...others] = asked.flatMap((one) => (one?.datasetId === id ? [one.id] : []));
        if (first === undefined)
          throw new Failure('absent', 'none of these experiments is over this dataset');
        const path = shownInWebUi(toggles, workspaceName, ['experiments', first]);
        return others.length === 0
          ? path
          : `${path}?with=${others.map(encodeURIComponent).join(',')}`;
      },
      openDataset: async ({ linkedDataset: { id, workspaceName } }) =>
        shownInWebUi(toggles, workspaceName, ['datasets', id]),
      openPlayground: async ({ project }) =>
        shownInWebUi(toggles, project.workspaceName, ['playground']),
      openProject: traces,
      openProjectByName: traces,
    };
  },
});
