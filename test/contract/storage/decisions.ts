import { expect } from 'chai';
import fc from 'fast-check';
import { decideInsert } from '#core/assets/replacing';
import { touched } from '#core/experiments/rules';
import type { Asset } from '#ports/model/assets';
import type { Keeping } from '#ports/storage/assets';
import type { Storage } from '#ports/storage/storage';
import { addArtifact, addExperiment, addVersion, freshId, freshKey, start } from './builders.js';

interface Step {
  readonly id: number;
  readonly fileName: string;
  readonly type: string;
  readonly groupingName: string | undefined;
  readonly ofVersion: boolean;
  readonly keeping: Keeping;
}

/** So few names that they meet. */
const step: fc.Arbitrary<Step> = fc.record({
  id: fc.integer({ min: 0, max: 3 }),
  fileName: fc.constantFrom('a', 'A', 'a '),
  type: fc.constantFrom('image', 'asset'),
  groupingName: fc.constantFrom(undefined, 'g'),
  ofVersion: fc.boolean(),
  keeping: fc.record(
    {
      replacing: fc.boolean(),
      idGiven: fc.boolean(),
      limit: fc.record({ types: fc.constant(['image']), most: fc.integer({ min: 1, max: 2 }) }),
    },
    { requiredKeys: ['replacing', 'idGiven'] },
  ),
});

/** What a store decides by itself is what the reference functions of the product decide. */
export const decisionContract = (storage: () => Storage): void => {
  const stores = () => storage().stores;

  it('keeps, replaces and refuses assets as the reference does', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const experiment = await addExperiment(storage());
        const artifact = await addArtifact(storage(), experiment);
        const version = await addVersion(storage(), experiment, artifact);
        const names = Array.from({ length: 4 }, freshKey);
        let present: readonly Asset[] = [];
        for (const { id, ofVersion, keeping, ...given } of steps) {
          const asset: Asset = {
            ...given,
            id: names[id] ?? '',
            rowId: freshId(),
            experimentId: experiment.id,
            workspaceId: experiment.workspaceId,
            artifactVersionId: ofVersion ? version.id : undefined,
            fileSize: 1,
            runContext: undefined,
            step: undefined,
            epoch: undefined,
            metadata: undefined,
            remoteLink: undefined,
            blobKey: `w/${freshId()}`,
            sha256: 'f'.repeat(64),
            extension: undefined,
            tags: [],
            width: undefined,
            height: undefined,
            partOf: undefined,
            createdAt: start,
          };
          await stores().uploads.noteUpload(asset.blobKey ?? '', start);
          const expected = decideInsert(present, asset, keeping);
          expect(await stores().assets.insert(asset, keeping)).to.deep.equal(
            expected.outcome === 'kept'
              ? { outcome: 'kept', id: expected.id }
              : { outcome: expected.outcome },
          );
          if (expected.outcome === 'kept')
            present = [
              ...present.filter((one) => !expected.replaced.includes(one.id)),
              { ...asset, id: expected.id },
            ];
        }
        const inPlace = present.filter((one) => one.artifactVersionId === undefined);
        const listed = await stores().assets.list({ experimentId: experiment.id, limit: 100 });
        expect(listed.map((one) => [one.id, one.rowId])).to.deep.equal(
          inPlace.map((one) => [one.id, one.rowId]),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('notes when an experiment was heard of as the reference does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 4 }),
        async (endSet, moments) => {
          const { id } = await addExperiment(storage());
          if (endSet)
            await stores().experiments.update(id, { endTimeMillis: start + 1000, endSet });
          for (const moment of moments) {
            const [before] = await stores().experiments.listByIds([id]);
            await stores().experiments.touch(id, start + moment);
            const [after] = await stores().experiments.listByIds([id]);
            expect(before, 'the experiment').not.to.equal(undefined);
            expect(after).to.deep.equal(
              before === undefined ? undefined : { ...before, ...touched(before, start + moment) },
            );
          }
        },
      ),
      { numRuns: 15 },
    );
  });
};
