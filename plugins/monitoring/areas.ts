// The areas of the plugin: what comes in, and what is asked.
import { area, type Area } from '#ports/api/area';
import type { Upload } from '#ports/bytes';
import { Toggles } from '#ports/toggles';
import { alertHandlers } from './alert-answering.js';
import { alertRows, alertToggle } from './alert-rows.js';
import { alertKind } from './alerts.js';
import { Beside } from './beside.js';
import { clientHandlers, recentHandlers } from './client-answering.js';
import { clientRows, lineageRows, recentFamily, recentRows } from './client-rows.js';
import { DriftDays } from './drift-days.js';
import { monitoringFamily } from './family.js';
import { ingest, writableWorkspace, type Ingesting } from './ingesting.js';
import { lineageHandlers } from './lineage.js';
import { modelKind } from './models.js';
import { monitoringSettings, type MonitoringNeeds } from './needs.js';
import { Pace } from './pace.js';
import { queryHandlers } from './answering.js';
import { intakeRows, queryRows } from './rows.js';
import { storeSentProfiles } from './sent-profiles.js';
import { segmentKind } from './segments.js';
import { settingHandlers } from './setting-answering.js';
import { settingRows } from './setting-rows.js';
import { uploadCsv } from './upload-answering.js';
import type { UploadOf } from './uploading.js';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';

const bytesOf = 1024;

interface IntakeCall {
  readonly body: unknown;
  readonly query: { readonly enforceValidation?: boolean | undefined };
  readonly caller: Caller;
  readonly declaredBytes: number | undefined;
}

/** Answers a batch. */
const taking =
  (own: (caller: Caller) => Ingesting, mostKb: number, onlyLabels: boolean, mayBeOne: boolean) =>
  async ({ body, query, caller, declaredBytes = 0 }: IntakeCall) => {
    if (mostKb > 0 && declaredBytes > mostKb * bytesOf)
      throw new Failure('tooLarge', `a batch has at most ${mostKb} KB`);
    const enforce = query.enforceValidation === true;
    const ingested = await ingest(own(caller), body, { onlyLabels, enforce, mayBeOne });
    return enforce && ingested.rejected > 0
      ? ({
          status: 400,
          body: {
            code: 400,
            msg: `${ingested.rejected} items are wrong, so nothing was stored`,
            sdk_error_code: 0,
            ...ingested,
          },
        } as const)
      : ({ status: 200, body: { code: 200, msg: 'OK', ...ingested } } as const);
  };

const intakeArea = (resolved: MonitoringNeeds) =>
  area({
    name: 'monitoring-intake',
    summary: 'Events and labels of models in production, as they come in.',
    family: monitoringFamily,
    table: intakeRows,
    settings: monitoringSettings,
    needs: { settings: monitoringSettings.port },
    handlers({ settings }) {
      const beside = new Beside(resolved);
      const pace = new Pace(resolved.clock, settings.MPM_ITEMS_PER_MINUTE);
      const own = (caller: Caller): Ingesting => ({
        ...resolved,
        admit: (workspaceId, items) => {
          pace.take(workspaceId, items);
        },
        dedupDays: settings.MPM_DEDUP_RETENTION_DAYS,
        reach: (name) => writableWorkspace(resolved, caller, name),
        store: (...given) => beside.store(...given),
      });
      const upload = (body: Upload, caller: Caller, of: UploadOf) =>
        uploadCsv(body, of, (...file) => beside.takeFile(own(caller), ...file));
      const [events, labels] = [
        settings.EVENTS_MAX_PAYLOAD_SIZE_KB,
        settings.LABELS_MAX_PAYLOAD_SIZE_KB,
      ];
      return {
        monitoringAlive: () => Promise.resolve({ status: 'UP' }),
        logMonitoredEvents: taking(own, events, false, false),
        logMonitoredEvent: taking(own, events, false, true),
        logMonitoredLabels: taking(own, labels, true, false),
        logMonitoredLabel: taking(own, labels, true, true),
        async logMonitoredProfiles({ workspace, body }) {
          const { modelId, isNew } = await storeSentProfiles(resolved, workspace.id, body);
          const sent = body.profiles.length;
          const [accepted, duplicates] = isNew ? [sent, 0] : [0, sent];
          return { code: 200, msg: 'OK', modelId, accepted, duplicates };
        },
        uploadMonitoredEvents: ({ body, caller }) => upload(body, caller, { of: 'events' }),
        uploadMonitoredLabels: ({ body, caller }) => upload(body, caller, { of: 'labels' }),
        uploadTrainingEvents: ({ body, caller, query }) =>
          upload(body, caller, { of: 'training', replace: query.replace === true }),
      };
    },
  });

const queryArea = (resolved: MonitoringNeeds, kept: DriftDays) =>
  area({
    name: 'monitoring',
    summary: 'What monitored models did: counts, metrics, distributions and drift.',
    family: monitoringFamily,
    table: queryRows,
    kinds: [modelKind(resolved.tables)],
    toggles: {
      'model-production-monitoring-drift-methods': {
        default: true,
        says: 'Drift by other measures than the earth mover distance',
        since: 'February 2024',
      },
    },
    needs: { toggles: Toggles },
    handlers: ({ toggles }) => queryHandlers(resolved, toggles, kept),
  });

const alertArea = (resolved: MonitoringNeeds) =>
  area({
    name: 'monitoring-alerts',
    summary: 'Rules that watch monitored models, and what they found.',
    family: monitoringFamily,
    table: alertRows,
    kinds: [alertKind(resolved.tables)],
    toggles: {
      [alertToggle]: { default: true, says: 'Alerts of production monitoring' },
    },
    needs: {},
    handlers: () => alertHandlers(resolved),
  });

const settingArea = (resolved: MonitoringNeeds) =>
  area({
    name: 'monitoring-settings',
    summary:
      'What people settle about monitored models: segments and baselines; and the export and deletion of events.',
    family: monitoringFamily,
    table: settingRows,
    kinds: [segmentKind(resolved.tables)],
    needs: {},
    handlers: () => settingHandlers(resolved),
  });

const clientArea = (resolved: MonitoringNeeds, kept: DriftDays) =>
  area({
    name: 'monitoring-clients',
    summary:
      'Further questions of clients: models and features of a workspace, and statements of administrators.',
    family: monitoringFamily,
    table: clientRows,
    needs: { toggles: Toggles },
    handlers: ({ toggles }) => clientHandlers(resolved, toggles, kept),
  });

const lineageArea = (resolved: MonitoringNeeds) =>
  area({
    name: 'monitoring-lineage',
    summary:
      'Which registered versions monitored models are, and where registered versions are monitored.',
    family: monitoringFamily,
    table: lineageRows,
    needs: {},
    handlers: () => lineageHandlers(resolved),
  });

const recentArea = (resolved: MonitoringNeeds) =>
  area({
    name: 'monitoring-recent',
    summary: 'The newest events of monitored models.',
    family: recentFamily,
    table: recentRows,
    needs: { settings: monitoringSettings.port },
    handlers: ({ settings }) => recentHandlers(resolved, settings.MPM_EVENTS_FETCH_SIZE_DEBUGGER),
  });

/** The areas over these ports. */
export const monitoringAreas = (resolved: MonitoringNeeds): readonly Area[] => {
  const kept = new DriftDays();
  return [
    intakeArea(resolved),
    queryArea(resolved, kept),
    alertArea(resolved),
    settingArea(resolved),
    clientArea(resolved, kept),
    lineageArea(resolved),
    recentArea(resolved),
  ];
};
