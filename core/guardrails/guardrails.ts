import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { guardrailOperations } from '#ports/api/guardrails';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { storageOf } from '#ports/storage/storage';
import { madeBy } from '../private-wire/authorship.js';
import { readId, requireSome } from '../private-wire/ids.js';
import { namingOf, requireTarget } from '../private-wire/targets.js';

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : JSON.stringify(value);

export const guardrailsArea = area({
  name: 'guardrails',
  summary: 'What guardrails found in traces.',
  family: privateFamily,
  table: guardrailOperations,
  needs: {
    storage: storageOf('guardrails', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => ({
    async putGuardrails({ body, projectTargets, caller }) {
      requireSome('guardrails', body.guardrails);
      const { createdAt, createdBy } = madeBy(clock, caller);
      const read = body.guardrails.map((sent) => ({
        naming: namingOf(sent),
        result: {
          id: sent.id === undefined ? ids.next() : readId(sent.id, 'guardrail'),
          traceId: readId(sent.entity_id, 'entity'),
          spanId: readId(sent.secondary_id, 'secondary'),
          name: sent.name,
          passed: sent.result === 'passed',
          config: textOf(sent.config),
          details: textOf(sent.details),
          createdAt,
          createdBy,
        },
      }));
      const projectIds = new Map<string, string>();
      for (const target of projectTargets)
        projectIds.set(
          target.naming,
          (await requireTarget(storage, { clock, ids }, target, caller)).id,
        );
      await storage.stores.guardrails.put(
        read.flatMap(({ naming, result }) => {
          const projectId = projectIds.get(naming);
          return projectId === undefined ? [] : [{ ...result, projectId }];
        }),
      );
      return undefined;
    },
  }),
});
