import { Analytics, type AnalyticTable } from '#ports/analytics';
import { analyticsOperations } from '#ports/api/analytics';
import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import type { Call } from '#ports/api/operation';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { savedQuery, type SavedQuery } from '#ports/model/saved-queries';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Toggles } from '#ports/toggles';
import { madeBy } from '../private-wire/authorship.js';
import { showInstant } from '../private-wire/instants.js';
import { recordRules } from '../private-wire/records.js';
import { analyticsOff, chartsAreOn, runStatement, tablesFor } from './offers.js';
import { projectTables } from './rules.js';

const savedQueryKind = defineKind(savedQuery, {
  needs: { storage: storageOf('savedQueries', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places, membersOnly: true }, 'query', (workspaceId, id) =>
      stores.savedQueries.find(workspaceId, id),
    ),
});

const showSaved = (query: SavedQuery) => ({
  id: query.id,
  sql: query.sql,
  project_id: query.projectId,
  created_at: showInstant(query.createdAt),
  created_by: query.createdBy,
});

type Asked = Pick<
  Call<typeof analyticsOperations.runProjectQuery>,
  'body' | 'projectScope' | 'signal'
>;

export const analyticsArea = area({
  name: 'analytics',
  summary: 'Queries over what was logged, bounded to a workspace or a project.',
  family: privateFamily,
  table: analyticsOperations,
  toggles: {
    'custom-charts': {
      default: true,
      says: 'Analytic queries over a whole workspace, as charts ask for them; without it they answer 501',
    },
  },
  kinds: [savedQueryKind],
  needs: {
    analytics: Analytics,
    storage: storageOf('savedQueries'),
    toggles: Toggles,
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ analytics, storage, toggles, clock, ids }) => {
    const charts = () => chartsAreOn(toggles);
    const ask = (
      { body, projectScope: { workspace, project }, signal }: Asked,
      tables?: readonly AnalyticTable[],
    ) => {
      const scope = {
        workspaceId: workspace.id,
        ...(project === undefined ? {} : { projectId: project.id }),
        ...(tables === undefined ? {} : { tables }),
      };
      return runStatement(analytics, body.query, scope, signal);
    };
    return {
      runProjectQuery: async (call) =>
        toggles.isOn('agent-insights') ? ask(call, projectTables) : analyticsOff,
      async runWorkspaceQuery(call) {
        if (!charts()) return analyticsOff;
        return ask(call, tablesFor(call.caller, call.projectScope.workspace.id));
      },
      async createSavedQuery({ body, projectScope: { workspace, project }, caller }) {
        if (!charts()) return analyticsOff;
        const { createdAt, createdBy } = madeBy(clock, caller);
        const query: SavedQuery = {
          workspaceId: workspace.id,
          id: ids.next(),
          projectId: project?.id,
          sql: body.sql,
          createdAt,
          createdBy,
        };
        await storage.stores.savedQueries.insert(query);
        const madeAt = `/v1/internal/dashboard-saved-queries/${query.id}`;
        return { status: 201, body: showSaved(query), madeAt } as const;
      },
      showSavedQuery: async (call) =>
        charts() ? ({ status: 200, body: showSaved(call.savedQuery) } as const) : analyticsOff,
    };
  },
});
