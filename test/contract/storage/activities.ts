import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn, byBob } from './environments.js';
import { anEvaluation } from './evaluations.js';

/** What every store of activities keeps to. */
export const activityContract = (storage: () => Storage): void => {
  it('tells what was made in a project, the newest first, page by page', async () => {
    const { activities, datasetItems, evaluations, optimizations } = storage().stores;
    const [workspaceId, projectId] = [freshId(), freshId()];
    const place = { workspaceId, projectId };
    const made: { readonly type: string; readonly id: string; readonly name?: string }[] = [];
    const version = async (datasetId: string): Promise<string> => {
      const versionId = freshId();
      await datasetItems.change({
        ...{ workspaceId, datasetId, target: { into: 'fresh' }, ids: [], versionId },
        ...{ touch: byBob, decide: () => ({ put: [], removed: [], columns: [] }) },
      });
      return versionId;
    };
    const [dataset, suite, elsewhere] = [
      await addDataset(storage(), place),
      await addDataset(storage(), { ...place, type: 'evaluation_suite' }),
      await addDataset(storage(), { workspaceId }),
    ];
    for (let n = 0; n < 3; n += 1) {
      const evaluation = anEvaluation({ ...place, datasetId: dataset.id });
      await evaluations.insert(evaluation);
      made.push({ type: 'experiment', id: evaluation.id, name: evaluation.name });
      made.push({ type: 'dataset_version', id: await version(dataset.id), name: dataset.name });
      const [id, name] = [freshId(), n === 0 ? undefined : freshName('search')];
      await optimizations.put({
        ...{ ...place, id, name, datasetId: dataset.id, objectiveName: 'o', status: 'running' },
        ...{ metadata: undefined, errorInfo: undefined, studioConfig: undefined, ...byAnn },
      });
      made.push({ type: 'optimization', id, name: name ?? dataset.name });
      made.push({ type: 'test_suite_version', id: await version(suite.id), name: suite.name });
      await version(elsewhere.id);
      await evaluations.insert(anEvaluation({ workspaceId }));
    }
    const truth = made.sort((one, other) => (one.id < other.id ? 1 : -1));
    const page = async (offset: number, limit: number) =>
      activities.list({ ...place, offset, limit });

    const { total, content } = await page(0, 100);
    expect(total).to.equal(truth.length);
    expect(content.map(({ type, id, name }) => ({ type, id, name }))).to.deep.equal(truth);
    expect(content.find(({ type }) => type === 'experiment')).to.deep.include({
      ...{ datasetId: dataset.id, createdAt: byAnn.createdAt, createdBy: byAnn.createdBy },
    });
    const pages = [await page(0, 5), await page(5, 5), await page(10, 5), await page(15, 5)];
    expect(pages.flatMap((one) => one.content)).to.deep.equal(content);
    expect(
      await activities.list({ ...place, projectId: freshId(), offset: 0, limit: 5 }),
    ).to.deep.equal({ total: 0, content: [] });
  });
};
