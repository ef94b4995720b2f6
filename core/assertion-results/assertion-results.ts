import { area } from '#ports/api/area';
import { assertionResultOperations } from '#ports/api/assertion-results';
import { privateFamily } from '#ports/api/families/private';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { storageOf } from '#ports/storage/storage';
import { madeBy } from '../private-wire/authorship.js';
import { readId, requireSome } from '../private-wire/ids.js';
import { namingOf, requireTarget } from '../private-wire/targets.js';

export const assertionResultsArea = area({
  name: 'assertion-results',
  summary: 'What assertions about traces and spans came to.',
  family: privateFamily,
  table: assertionResultOperations,
  needs: {
    storage: storageOf('evaluationItems', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => ({
    async putAssertionResults({ body, projectTargets, caller }) {
      requireSome('assertion_results', body.assertion_results);
      if (body.entity_type === 'THREAD')
        throw new Failure('invalid', 'entity_type must be TRACE or SPAN');
      const entityKind = body.entity_type === 'SPAN' ? ('span' as const) : ('trace' as const);
      const made = madeBy(clock, caller);
      const read = body.assertion_results.map((sent) => ({
        naming: namingOf(sent),
        result: {
          entityKind,
          entityId: readId(sent.entity_id, 'entity'),
          name: sent.name,
          passed: sent.status === 'passed',
          reason: sent.reason,
          source: sent.source,
          ...made,
        },
      }));
      const projectIds = new Map<string, string>();
      for (const target of projectTargets)
        projectIds.set(
          target.naming,
          (await requireTarget(storage, { clock, ids }, target, caller)).id,
        );
      await storage.stores.evaluationItems.putResults(
        read.flatMap(({ naming, result }) => {
          const projectId = projectIds.get(naming);
          return projectId === undefined ? [] : [{ ...result, projectId }];
        }),
      );
      return undefined;
    },
  }),
});
