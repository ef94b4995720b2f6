import { expect } from 'chai';
import { systemIds } from '#adapters/system/ids';
import { linkAllInto, moveAllInto } from '#core/experiments/offers';
import type { ExperimentSettings } from '#core/experiments/settings';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { Storage } from '#ports/storage/storage';
import {
  addExperiment,
  addProject,
  freshId,
  rejection,
  start,
} from '#test/contract/storage/builders';
import { embedded } from '../opened.js';

const atOnce = 100;

describe('moving and linking many runs', function () {
  this.timeout(60_000);
  const opened = embedded();
  const caller = { userId: freshId() } as Caller; // all that is read of it
  const making = (limit = 0) => ({
    clock: { now: () => start },
    ids: systemIds,
    settings: {
      EXPERIMENTS_IN_EM_PROJECT_LIMIT: limit,
      EXPERIMENTS_IN_LLM_PROJECT_LIMIT: limit,
    } as ExperimentSettings, // likewise
  });
  /** More runs than one transaction takes, and a project to move them to. */
  const prepare = async () => {
    const { storage } = opened();
    const [from, to] = [await addProject(storage), await addProject(storage)];
    const experiments: Experiment[] = [];
    for (let i = 0; i < atOnce + 30; i++)
      experiments.push(await addExperiment(storage, { projectId: from.id }));
    const workspace = await storage.stores.workspaces.findById(to.workspaceId);
    if (workspace === undefined) throw new Error('the workspace is not there');
    return {
      to,
      from,
      request: { workspace, caller, projectName: to.name, kind: 'em' as const, experiments },
    };
  };
  const heldBy = (id: string) => opened().storage.stores.experiments.countInProject(id);
  /** The storage, and how many runs each transaction over it has moved. */
  const counting = () => {
    const moved: number[] = [];
    const { storage } = opened();
    const counted: Storage = {
      ...storage,
      transaction: (work) =>
        storage.transaction((stores) =>
          work({
            ...stores,
            experiments: {
              ...stores.experiments,
              move(ids, to) {
                moved.push(ids.length);
                return stores.experiments.move(ids, to);
              },
            },
          }),
        ),
    };
    return { storage: counted, moved };
  };

  it('moves all of them, a hundred in a transaction', async () => {
    const { from, to, request } = await prepare();
    const { storage, moved } = counting();

    await moveAllInto(storage, making(), request);

    expect(moved).to.deep.equal([atOnce, 30]);
    expect([await heldBy(from.id), await heldBy(to.id)]).to.deep.equal([0, atOnce + 30]);
  });

  it('moves none where there is no room for all of them', async () => {
    const { from, to, request } = await prepare();

    const refusal = await rejection(moveAllInto(opened().storage, making(atOnce + 29), request));

    expect((refusal as Error).message).to.contain('has no room for 130 more');
    expect([await heldBy(from.id), await heldBy(to.id)]).to.deep.equal([atOnce + 30, 0]);
  });

  it('links all of them', async () => {
    const { to, request } = await prepare();
    const { storage } = opened();

    await linkAllInto(storage, making(), request);

    expect(
      await storage.stores.experiments.list({
        projectId: to.id,
        archived: false,
        sortBy: 'startTime',
        descending: false,
      }),
    ).to.have.length(atOnce + 30);
  });
});
