import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { parameterOperations } from '#ports/api/parameters';
import { Clock } from '#ports/clock';
import { storageOf } from '#ports/storage/storage';
import { Throttle } from '#ports/throttle';
import { takeAllowance } from '../throttling.js';
import { changeOf, checkLength, toOther, toParameter, toSummary } from './rules.js';

const needs = { storage: storageOf('experiments', 'values'), clock: Clock, throttle: Throttle };

export const parametersArea = area({
  name: 'parameters',
  summary: 'Parameters, others and tags of experiments.',
  family: trackingFamily,
  table: parameterOperations,
  needs,
  handlers: ({ storage, clock, throttle }) => {
    const { values, experiments } = storage.stores;
    const limits = { experiments, throttle };
    return {
      async logParameter({ body, experiment }) {
        checkLength(body.parameterName, body.parameterValue);
        const parameter = toParameter(body, clock.now());
        if (parameter === undefined) return {};
        await takeAllowance(limits, experiment, 'parameters', 1);
        await values.write({
          experimentId: experiment.id,
          kind: 'parameter',
          values: [parameter],
          receivedAt: clock.now(),
        });
        return {};
      },
      async logParameterBatch({ body, experiment, digest }) {
        const now = clock.now();
        const parameters = body.values
          .map((value) => toParameter(value, now))
          .filter((parameter) => parameter !== undefined);
        if (parameters.length === 0) return {};
        await takeAllowance(limits, experiment, 'parameters', parameters.length);
        await values.write({
          experimentId: experiment.id,
          kind: 'parameter',
          values: parameters,
          receivedAt: now,
          digest: digest(),
        });
        return {};
      },
      async deleteParameter({ body, experiment }) {
        await values.remove(experiment.id, 'parameter', [body.parameterName]);
        return {};
      },
      async deleteParameters({ body, experiments: chosen }) {
        const inOrder = [...chosen].sort((a, b) => (a.id < b.id ? -1 : 1));
        await storage.transaction(async (stores) => {
          for (const { id, key } of inOrder)
            await stores.values.remove(
              id,
              'parameter',
              body.filter((item) => item.experimentKey === key).map((item) => item.parameterName),
            );
        });
        return {};
      },
      async getParameters({ experiment }) {
        return { values: (await values.list(experiment.id, 'parameter')).map(toSummary) };
      },
      async logOther({ body, experiment }) {
        checkLength(body.key, body.value);
        const other = toOther(body.key, body.value, body.timestamp, clock.now());
        const change = changeOf(body.key, body.value);
        const batch = {
          experimentId: experiment.id,
          kind: 'other',
          values: [other],
          receivedAt: clock.now(),
        } as const;
        if (change === undefined) await values.write(batch);
        else
          await storage.transaction(async (stores) => {
            await stores.experiments.update(experiment.id, change);
            await stores.values.write(batch);
          });
        return {};
      },
      async getOthers({ experiment }) {
        return { values: (await values.list(experiment.id, 'other')).map(toSummary) };
      },
      async addTags({ body, experiment }) {
        await values.addTags(
          experiment.id,
          body.addedTags.filter((tag) => tag !== ''),
          clock.now(),
        );
        return {};
      },
      async deleteTags({ body, experiment }) {
        await values.removeTags(experiment.id, body.tags);
        return {};
      },
      async getTags({ experiment }) {
        return { tags: await values.listTags(experiment.id) };
      },
    };
  },
});
