// What the plugin is handed, its settings, and its tables.
import { GivenAnalytics } from '#ports/analytics';
import { Announcements } from '#ports/announcements';
import { Gate } from '#ports/api/gate';
import { areaSettings, flag, whole, word } from '#ports/area-settings';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { Log } from '#ports/log';
import { Operations } from '#ports/operations';
import { Parquet } from '#ports/parquet';
import type { TableChange } from '#ports/plugin';
import { PluginTables } from '#ports/plugin-tables';
import type { Resolved } from '#ports/port';
import { Settings } from '#ports/settings';
import { Toggles } from '#ports/toggles';
import { Traffic } from '#ports/traffic';
import { Zip } from '#ports/zip';

export const needs = {
  analytics: GivenAnalytics,
  announcements: Announcements,
  clock: Clock,
  gate: Gate,
  ids: Ids,
  log: Log,
  operations: Operations,
  parquet: Parquet,
  settings: Settings,
  tables: PluginTables,
  toggles: Toggles,
  traffic: Traffic,
  zip: Zip,
};
export type MonitoringNeeds = Resolved<typeof needs>;

export const monitoringSettings = areaSettings('monitoring', {
  EVENTS_MAX_PAYLOAD_SIZE_KB: whole(
    0,
    'Largest batch of monitored events; 0 is no limit of its own',
  ),
  LABELS_MAX_PAYLOAD_SIZE_KB: whole(0, 'Largest batch of late labels; 0 is no limit of its own'),
  MPM_DEDUP_RETENTION_DAYS: whole(
    7,
    'For how many days around its event a repeated prediction id is the same event',
    1,
    395,
  ),
  MPM_ITEMS_PER_MINUTE: whole(
    0,
    'Most events and labels a minute that a process takes of a workspace in batches, beyond which it answers 429; 0 is as many as come',
  ),
  MPM_EVENTS_FETCH_SIZE_DEBUGGER: whole(
    50,
    'How many of the newest events of a monitored model are answered at most',
    1,
    1000,
  ),
  MPM_DRUID_ENABLED: flag(false, 'Read and reported, without effect: there is one store'),
  MPM_TIMESCALE_ENABLED: flag(true, 'Read and reported, without effect: there is one store'),
  MPM_BLOOM_FILTER_TYPE: word(
    'REDIS',
    ['REDIS', 'IN_MEMORY', 'NONE'],
    'Read and reported, without effect: repeated events are told apart exactly',
  ),
});

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** How long raw events are kept, and how old one may be when it comes. */
export const rawDays = 395;
/** How long sums are kept, where a model says nothing else. */
export const sumDays = 5 * 365;
/** How long labels wait for their event, and how long faults of ingestion are kept. */
export const weekMs = 7 * dayMs;

/**
 * `day` is a whole number of days since the epoch, and -1 where the event is not known yet. `frames` and `columns` hold raw events, `profiles` what is summed of one field in one day, `events` where each prediction id is, `additions` what came after an event: late
 * labels and further fields.
 */
export const tables: readonly TableChange[] = [
  {
    create: 'models',
    key: ['model_id'],
    indexes: { by_workspace: ['workspace_id', 'model_id'] },
    columns: {
      model_id: 'key',
      workspace_id: 'key',
      name: 'text',
      made_at: 'whole',
      batches: 'whole',
    },
  },
  {
    create: 'fields',
    key: ['model_id', 'field'],
    columns: {
      model_id: 'key',
      field: 'key',
      source: 'key',
      name: 'text',
      numeric: 'flag',
      first_seen: 'whole',
      last_seen: 'whole',
    },
  },
  {
    create: 'frames',
    key: ['model_id', 'day', 'frame'],
    columns: {
      model_id: 'key',
      day: 'whole',
      frame: 'key',
      events: 'whole',
      first_at: 'whole',
      last_at: 'whole',
      content: 'bytes',
    },
  },
  {
    create: 'profiles',
    key: ['model_id', 'field', 'day', 'piece'],
    columns: { model_id: 'key', field: 'key', day: 'whole', piece: 'key', content: 'bytes' },
  },
  {
    create: 'events',
    key: ['model_id', 'event'],
    indexes: { by_day: ['model_id', 'day'] },
    columns: {
      model_id: 'key',
      event: 'key',
      day: 'whole',
      at: 'whole',
      frame: 'key',
      version: 'text',
      content: 'key',
      labels: 'text',
    },
  },
  {
    create: 'additions',
    key: ['model_id', 'day', 'event'],
    columns: { model_id: 'key', day: 'whole', event: 'key', at: 'whole', content: 'text' },
  },
  {
    create: 'faults',
    key: ['model_id', 'fault'],
    columns: {
      model_id: 'key',
      fault: 'key',
      at: 'whole',
      prediction_id: 'text',
      field: 'text',
      reason: 'key',
      message: 'text',
      sample: 'text',
    },
  },
  {
    create: 'baselines',
    key: ['model_id', 'baseline'],
    columns: {
      model_id: 'key',
      baseline: 'key',
      made_at: 'whole',
      events: 'whole',
      content: 'text',
    },
  },
  {
    add: 'models',
    columns: { raw_days: 'whole', sum_days: 'whole', profile_only: 'flag', registry_model: 'text' },
  },
  {
    create: 'segments',
    key: ['model_id', 'segment'],
    indexes: { by_id: ['segment'] },
    columns: { model_id: 'key', segment: 'key', name: 'text', filter: 'text', made_at: 'whole' },
  },
  {
    create: 'alerts',
    key: ['alert'],
    indexes: { by_model: ['model_id', 'alert'], by_due: ['due_at', 'alert'] },
    columns: {
      alert: 'key',
      model_id: 'key',
      owner: 'text',
      content: 'text',
      states: 'text',
      due_at: 'whole',
      evaluated_to: 'whole',
      runs: 'whole',
      made_at: 'whole',
      changed_at: 'whole',
    },
  },
  {
    create: 'firings',
    key: ['model_id', 'at', 'firing'],
    indexes: { by_alert: ['alert', 'at', 'firing'] },
    columns: { model_id: 'key', at: 'whole', firing: 'key', alert: 'key', content: 'text' },
  },
  // Nothing is in it any more: `columns` took its place.
  {
    create: 'frame_columns',
    key: ['model_id', 'day', 'frame', 'field'],
    columns: { model_id: 'key', day: 'whole', frame: 'key', field: 'key', content: 'bytes' },
  },
  {
    create: 'tellings',
    key: ['due_at', 'telling'],
    columns: { due_at: 'whole', telling: 'key', content: 'text' },
  },
  // The same by field first, so that one statement reads a field of many frames; ids are a field too.
  {
    create: 'columns',
    key: ['model_id', 'field', 'day', 'frame'],
    indexes: { by_frame: ['model_id', 'day', 'frame'] },
    columns: { model_id: 'key', field: 'key', day: 'whole', frame: 'key', content: 'bytes' },
  },
  // When the events of a frame went into a larger one; it stays for those who are reading it.
  { add: 'frames', columns: { replaced_at: 'whole' } },
  { add: 'models', columns: { importances: 'text' } },
  { add: 'models', columns: { label_policy: 'text' } },
  // Labels in whose place others came.
  {
    create: 'label_changes',
    key: ['model_id', 'event', 'change'],
    indexes: { by_day: ['model_id', 'day'] },
    columns: {
      model_id: 'key',
      event: 'key',
      change: 'key',
      day: 'whole',
      at: 'whole',
      content: 'text',
    },
  },
  // Faults of the same reason and field of one second, as one row: how many, and the ids of the first of them.
  { add: 'faults', columns: { times: 'whole', others: 'text' } },
  // How often each reason was given in an hour of receipt, and how many events came again, late or too early.
  {
    create: 'fault_hours',
    key: ['model_id', 'hour', 'reason'],
    columns: { model_id: 'key', hour: 'whole', reason: 'key', times: 'whole' },
  },
  { add: 'models', columns: { bounds: 'text' } },
  // Days of which events were taken away, and whose sums still count them.
  {
    create: 'unsummed',
    key: ['model_id', 'day', 'mark'],
    columns: { model_id: 'key', day: 'whole', mark: 'key' },
  },
  // How long models of a workspace keep what they have, where they say nothing themselves; each has it beside its own.
  {
    create: 'workspaces',
    key: ['workspace_id'],
    columns: { workspace_id: 'key', raw_days: 'whole', sum_days: 'whole' },
  },
  { add: 'models', columns: { workspace_raw_days: 'whole', workspace_sum_days: 'whole' } },
  // Which sums of clients came, so that none counts twice.
  {
    create: 'sent_profiles',
    key: ['model_id', 'profile'],
    indexes: { by_time: ['model_id', 'at'] },
    columns: { model_id: 'key', profile: 'key', at: 'whole', content: 'key' },
  },
];

/** Text that may be part of a key: itself where every engine compares it exactly, else its digest. */
export const keyText = (ids: Ids, text: string): string =>
  /^[\x21-\x7e]{1,120}$/.test(text) ? `=${text}` : ids.digest(text);
