import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { anExport } from '#test/contract/storage/dataset-exports';
import { addDataset } from '#test/contract/storage/datasets';
import { byAnn, byBob } from '#test/contract/storage/environments';
import { anEvaluation, anEvaluationItem } from '#test/contract/storage/evaluations';
import { freshId, start } from '#test/contract/storage/builders';

/** What becomes of the rows of deleted datasets and evaluations. */
export const recordRemovalContract = (storage: () => SqlStorage): void => {
  const remove = () =>
    storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(new AbortController().signal);
  const rowsIn = async (table: string, workspace_id: string): Promise<number> =>
    Number(
      (await storage().connection.db(table).where({ workspace_id }).count({ n: '*' }))[0]?.['n'],
    );

  it('removes items, versions, tags and columns of a deleted dataset, and of no other', async () => {
    const { workspaceId, id: datasetId } = await addDataset(storage());
    const kept = await addDataset(storage(), { id: datasetId });
    for (const of of [workspaceId, kept.workspaceId])
      await storage().stores.datasetItems.change({
        workspaceId: of,
        datasetId,
        target: { into: 'fresh' },
        ids: [],
        versionId: freshId(),
        settings: { tags: ['a'] },
        touch: byBob,
        decide: () => ({
          put: Array.from({ length: 1200 }, (_, n) => ({
            datasetId,
            id: freshId(),
            traceId: undefined,
            spanId: undefined,
            source: 'sdk',
            data: `{"n":${n}}`,
            description: undefined,
            tags: undefined,
            evaluators: undefined,
            executionPolicy: undefined,
            ...byAnn,
          })),
          removed: [],
          columns: [{ name: 'n', type: 'number' }],
        }),
      });
    for (const id of [workspaceId, kept.workspaceId])
      await storage().stores.datasetExports.insert(anExport({ workspaceId: id, id: datasetId }));
    await storage().stores.datasets.remove(workspaceId, [datasetId], start);
    await remove();

    for (const table of [
      'dataset_items',
      'dataset_versions',
      'dataset_version_tags',
      'dataset_columns',
      'dataset_exports',
      'record_removals',
    ]) {
      expect(await rowsIn(table, workspaceId), table).to.equal(0);
      if (table !== 'record_removals')
        expect(await rowsIn(table, kept.workspaceId), table).to.be.greaterThan(0);
    }
    await addDataset(storage(), { workspaceId, id: datasetId });
  });

  it('removes items and prompts of a deleted evaluation, and of no other', async () => {
    const [gone, kept] = [
      anEvaluation({ prompts: [{ versionId: freshId(), promptId: freshId() }] }),
      anEvaluation(),
    ];
    for (const one of [gone, { ...kept, workspaceId: gone.workspaceId }]) {
      await storage().stores.evaluations.insert(one);
      await storage().stores.evaluationItems.add(
        Array.from({ length: 600 }, () =>
          anEvaluationItem({ workspaceId: one.workspaceId, evaluationId: one.id }),
        ),
      );
    }
    await storage().stores.evaluations.remove(gone.workspaceId, [gone.id], start);
    await remove();

    expect(await rowsIn('evaluation_items', gone.workspaceId)).to.equal(600);
    expect(await rowsIn('evaluation_prompts', gone.workspaceId)).to.equal(0);
  });
};
