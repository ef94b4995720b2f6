import { expect } from 'chai';
import { systemIds } from '#adapters/system/ids';
import type { ExperimentSettings } from '#core/experiments/settings';
import { deleteProject } from '#core/workspaces/deleting';
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
const many = 2 * atOnce + 30;

describe('deleting a project that keeps its runs', function () {
  this.timeout(60_000);
  const opened = embedded();
  const caller = { userId: freshId() } as Caller; // all that is read of it
  const needs = (limit = 0) => ({
    clock: { now: () => start },
    ids: systemIds,
    settings: {
      EXPERIMENTS_IN_EM_PROJECT_LIMIT: limit,
      EXPERIMENTS_IN_LLM_PROJECT_LIMIT: limit,
    } as ExperimentSettings, // likewise
  });
  const stores = () => opened().storage.stores;
  const prepare = async () => {
    const project = await addProject(opened().storage);
    const keys: string[] = [];
    for (let i = 0; i < many; i++)
      keys.push((await addExperiment(opened().storage, { projectId: project.id })).key);
    return { project, keys, request: { project, caller, keepsExperiments: true } };
  };
  /** The storage, and how many experiments each transaction over it gave a new home; it breaks down after some of them. */
  const counting = (transactions = Infinity) => {
    const moved: number[] = [];
    const { storage } = opened();
    const counted: Storage = {
      ...storage,
      transaction: (work) =>
        moved.length >= transactions
          ? Promise.reject(new Error('broken'))
          : storage.transaction((inside) =>
              work({
                ...inside,
                experiments: {
                  ...inside.experiments,
                  move(some, to) {
                    moved.push(some.length);
                    return inside.experiments.move(some, to);
                  },
                  async moveAll(from, to) {
                    moved.push(await inside.experiments.countInProject(from));
                    await inside.experiments.moveAll(from, to);
                  },
                },
              }),
            ),
    };
    return { storage: counted, moved };
  };
  const homesOf = async (keys: readonly string[]) => {
    const found = (await stores().experiments.listByKeys(keys)).map((run) => run.projectName);
    expect(found).to.have.length(many);
    return found;
  };

  it('gives all of them another home, a hundred in a transaction', async () => {
    const { project, keys, request } = await prepare();
    const { storage, moved } = counting();

    await deleteProject(storage, needs(), request);

    expect(moved).to.deep.equal([atOnce, atOnce, 30]);
    expect(new Set(await homesOf(keys))).to.deep.equal(new Set(['general']));
    expect(await stores().projects.findById(project.id)).to.equal(undefined);
  });

  it('leaves every run in one of two projects where it breaks off, and goes on when it is asked again', async () => {
    const { project, keys, request } = await prepare();
    await rejection(deleteProject(counting(1).storage, needs(), request));
    const halfWay = await homesOf(keys);

    expect(halfWay.filter((name) => name === 'general')).to.have.length(atOnce);
    expect(halfWay.filter((name) => name === project.name)).to.have.length(many - atOnce);
    expect(await stores().experiments.countInProject(project.id)).to.equal(many - atOnce);

    await deleteProject(opened().storage, needs(), request);

    expect(new Set(await homesOf(keys))).to.deep.equal(new Set(['general']));
    expect(await stores().projects.findById(project.id)).to.equal(undefined);
  });

  it('moves none and stays where there is no room for all of them', async () => {
    const { project, keys, request } = await prepare();

    const refusal = await rejection(deleteProject(opened().storage, needs(many - 1), request));

    expect(String(refusal)).to.include(`has no room for ${many} more`);
    expect(new Set(await homesOf(keys))).to.deep.equal(new Set([project.name]));
    expect(await stores().projects.findById(project.id)).to.not.equal(undefined);
  });
});
