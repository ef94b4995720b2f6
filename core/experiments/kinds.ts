import { defineKind } from '#ports/api/kind-definition';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { experiment } from '#ports/model/experiments';
import { ExperimentFinder } from '#ports/storage/experiments';
import { storageOf } from '#ports/storage/storage';
import { checkQuota } from '../quota.js';
import { experimentPlace } from './offers.js';
import { absentExperiment } from './rules.js';

export const experimentKind = defineKind(experiment, {
  needs: {
    storage: storageOf('experiments', 'projects', 'workspaces'),
    finder: ExperimentFinder,
    clock: Clock,
  },
  rules: ({ storage: { stores }, finder, clock }) => ({
    // What only adds to a run comes many times a second for each: it may be told what was found a moment ago.
    find: ({ text }, { operation }) =>
      (operation.adds === true || operation.wire?.retryableWith429 === true
        ? finder
        : stores.experiments
      ).findByKey(text),
    findMany: async (keys) =>
      new Map((await stores.experiments.listByKeys(keys)).map((one) => [one.key, one])),
    placeOf: (found) => experimentPlace(stores, found),
    absent: absentExperiment,
    missing: () => new Failure('invalid', 'experimentKey is required', { reason: 'keyMissing' }),
    forProjectKeys: true,
    async checkRoom(found, { operation }) {
      if (operation.wire?.retryableWith429 === true)
        await checkQuota({ workspaces: stores.workspaces, clock }, found);
    },
  }),
});
