// An evaluation that comes as a whole, with its traces and scores.
import { Failure } from '#ports/failure';
import type { Evaluation } from '#ports/model/evaluations';
import type { Caller } from '#ports/model/identity';
import { madeBy } from '../private-wire/authorship.js';
import { readId, requireSome } from '../private-wire/ids.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { writingWith } from '../traces/rules.js';
import { scored } from '../annotation-queues/offers.js';
import { derivedIds, goesWith, readUpload, storeUpload } from './uploading.js';
import { datasetOf } from './finding.js';
import type { EvaluationHandlers, EvaluationNeeds } from './needs.js';

/** The evaluation that an upload is of, made where it is missing. Rejects with `conflict` where the id is another one's. */
const uploadedTo = async (
  { storage, ids }: EvaluationNeeds,
  made: Omit<Evaluation, 'id'>,
  id: string | undefined,
  { scope }: Caller,
): Promise<string> => {
  const { evaluations } = storage.stores;
  const { workspaceId, name, datasetId = '' } = made;
  const fits = (one: Evaluation | undefined) =>
    one !== undefined &&
    goesWith(one, { id: datasetId }, name) &&
    (scope?.projectId === undefined || scope.projectId === one.projectId);
  if (id === undefined) {
    const named = await evaluations.findMany(
      workspaceId,
      await evaluations.findByName(workspaceId, name),
    );
    const found = named.find((one) => fits(one) && one.projectId === made.projectId);
    if (found !== undefined) return found.id;
  }
  const chosen = id ?? ids.next();
  if (
    !(await evaluations.insert({ ...made, id: chosen })) &&
    !fits(await evaluations.find(workspaceId, chosen))
  )
    throw new Failure(
      'conflict',
      `experiment ${chosen} belongs to another dataset or has another name`,
    );
  return chosen;
};

export const uploadHandlers = (needs: EvaluationNeeds): EvaluationHandlers<'uploadEvaluation'> => {
  const { storage, clock, ids } = needs;
  const { stores } = storage;
  const writingOf = writingWith(needs.traceSettings.ORRERY_MODEL_PRICES);
  return {
    async uploadEvaluation({ body, projectTarget, caller, digest }) {
      requireSome('items', body.items);
      const ofProject = isOfProject({ project_name: body.project_name }, caller);
      const id =
        body.experiment_id === undefined ? undefined : readId(body.experiment_id, 'experiment');
      const made = madeBy(clock, caller);
      const writing = (newId: () => string) =>
        writingOf({ now: made.createdAt, by: caller.userName, newId });
      const { workspace } = projectTarget;
      const draft = { workspaceId: workspace.id, evaluationId: ids.next(), projectId: '' };
      // Nothing is made for a request that cannot be read.
      readUpload(
        body.items,
        draft,
        writing(() => ids.next()),
        caller,
      );
      const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
      const projectId = ofProject ? project.id : undefined;
      const target = { ...projectTarget, project };
      const dataset = await datasetOf(needs, body.dataset_name, { target, projectId, caller });
      if (dataset === undefined)
        throw new Failure('unprocessable', 'dataset_name must not be blank');
      const newest = await stores.datasetItems.findVersion(workspace.id, dataset.id, 'newest');
      const evaluationId = await uploadedTo(
        needs,
        {
          workspaceId: workspace.id,
          projectId,
          datasetId: dataset.id,
          datasetVersionId: newest?.id,
          optimizationId: undefined,
          name: body.experiment_name,
          metadata: undefined,
          tags: undefined,
          type: 'regular',
          method: 'dataset',
          status: undefined,
          scores: undefined,
          finishedAt: undefined,
          prompts: [],
          ...made,
        },
        id,
        caller,
      );
      const upload = readUpload(
        body.items,
        { workspaceId: workspace.id, evaluationId, projectId: project.id },
        writing(derivedIds(evaluationId, digest())),
        caller,
      );
      await storage.transaction((inside) => storeUpload(inside, project.id, upload));
      await scored(stores, upload.scores, caller.userName);
      return undefined;
    },
  };
};
