// What is done now and then: what is too old goes, labels whose event never came are told, and small pieces of sums become one.
import type { Job } from '#ports/jobs';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs, weekMs, type MonitoringNeeds } from './needs.js';
import { additionValues, pendingDay } from './additions.js';
import { storeFaults, trimFaults } from './faults.js';
import { sumUnsummed } from './deleting.js';
import { mergeFrames } from './merging.js';
import { fieldKey, fieldsOf, findModel, lockModel, type MonitoredModel } from './models.js';
import { tellRetention } from './model-settling.js';
import { packProfiles, unpackProfiles } from './profile-packing.js';
import { dayOf, eventsField, joinProfiles, lastOwnPiece, sentPiece } from './profiles.js';
import { removeEvery } from './removing.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'log'>;

const atOnce = 500;
/** Tables of raw events with the index that lists them by day. */
const rawTables = [
  ['frames', 'key'],
  ['columns', 'by_frame'],
  ['label_changes', 'by_day'],
] as const;

/** Removes the raw events of a model up to a day and with it; what tells which events there were stays, so that none is counted twice. */
const forgetRaw = async (tables: PluginTables, model: string, day: number): Promise<void> => {
  for (const [table, index] of rawTables)
    await removeEvery(tables, table, index, { model_id: model }, { day });
  for (let more = true; more;) {
    const rows = await tables.list(
      'additions',
      'key',
      { model_id: model },
      { limit: atOnce, until: { day }, after: { day: pendingDay } },
    );
    for (const row of rows)
      await tables.remove('additions', {
        model_id: model,
        day: row['day'] ?? 0,
        event: row['event'] ?? '',
      });
    more = rows.length === atOnce;
  }
};

/** Removes raw events, and what tells where they are, beyond their time. */
const removeOld = async (
  { tables, clock }: Needs,
  { id: model, rawDays, profileOnly }: MonitoredModel,
): Promise<void> => {
  const today = dayOf(clock.now());
  const until = { day: today - rawDays - 1 };
  if (profileOnly) await forgetRaw(tables, model, today + 1);
  for (const [table, index] of [...rawTables, ['events', 'by_day'] as const])
    await removeEvery(tables, table, index, { model_id: model }, until);
  // Labels that wait have a day of their own, which is below all others.
  for (let more = true; more;) {
    const old = await tables.list(
      'additions',
      'key',
      { model_id: model },
      { limit: atOnce, after: { day: pendingDay }, until },
    );
    for (const { day, event } of old)
      await tables.remove('additions', { model_id: model, day: day ?? 0, event: event ?? '' });
    more = old.length === atOnce;
  }
};

/** Forgets which sums of clients came, once none of them is kept: one may be of a day ahead of its receipt. */
const forgetSent = (
  { tables, clock }: Needs,
  { id: model, sumDays }: MonitoredModel,
): Promise<void> => {
  const until = { at: clock.now() - (sumDays + 1) * dayMs };
  return removeEvery(tables, 'sent_profiles', 'by_time', { model_id: model }, until);
};

/** How long what alerts found is kept, in days. */
const firingDays = 395;
const removeOldFirings = async ({ tables, clock }: Needs, model: string): Promise<void> => {
  const until = { at: clock.now() - firingDays * dayMs };
  await removeEvery(tables, 'firings', 'key', { model_id: model }, until);
};

/** Gives up labels that waited a week for their event, and tells so. */
const giveUpLabels = async (needs: Needs, model: string): Promise<void> => {
  const { tables, clock } = needs;
  let after = '';
  for (let more = true; more;) {
    const waiting = await tables.list(
      'additions',
      'key',
      { model_id: model, day: pendingDay },
      { limit: atOnce, after: { event: after } },
    );
    const due = waiting.filter(({ at }) => Number(at) <= clock.now() - weekMs);
    if (due.length > 0)
      await tables.transaction(async (inside) => {
        await lockModel(inside, model);
        for (const { event } of due)
          await inside.remove('additions', {
            model_id: model,
            day: pendingDay,
            event: event ?? '',
          });
        await storeFaults(
          needs,
          inside,
          model,
          due.map((row) => ({
            predictionId: String(row['event']).replace(/^=/, ''),
            field: null,
            reason: 'LABEL_WITHOUT_EVENT',
            message: 'no event of this prediction came within seven days',
            sample: JSON.stringify(Object.fromEntries(additionValues(row))),
          })),
        );
      });
    after = String(waiting.at(-1)?.['event'] ?? '');
    more = waiting.length === atOnce;
  }
};

const contentOf = ({ content }: PluginRow) =>
  content instanceof Uint8Array ? unpackProfiles(content) : [];

/** Makes one piece of several of a field's day, and removes what is too old; says how many pieces that was. */
const joinPieces = async (
  { tables, ids, clock }: Needs,
  { id: model, sumDays }: MonitoredModel,
  field: string,
): Promise<number> => {
  const gone = await tables.removeAll(
    'profiles',
    'key',
    { model_id: model, field },
    { limit: atOnce, until: { day: dayOf(clock.now()) - sumDays } },
  );
  const from = dayOf(clock.now()) - 2;
  // What a client sent stays apart: a deletion of events makes the others anew.
  const kinds = [
    { bounds: { until: lastOwnPiece }, nextPiece: () => ids.next() },
    { bounds: { after: lastOwnPiece }, nextPiece: () => sentPiece(ids.next()) },
  ];
  for (let day = from; day <= dayOf(clock.now()) + 1; day++)
    for (const { bounds, nextPiece } of kinds) {
      const equals = { model_id: model, field, day };
      const few = await tables.list('profiles', 'key', equals, { ...bounds, limit: 2 });
      if (few.length < 2) continue;
      await tables.transaction(async (inside) => {
        // Locked like a batch of the model, so that no other process joins the same pieces.
        await lockModel(inside, model);
        const pieces = await inside.list('profiles', 'key', equals, { ...bounds, limit: atOnce });
        for (const { piece } of pieces)
          await inside.remove('profiles', { ...equals, piece: piece ?? '' });
        await inside.insert('profiles', {
          ...equals,
          piece: nextPiece(),
          content: packProfiles(joinProfiles(pieces.flatMap(contentOf))),
        });
      });
    }
  return gone;
};

const upkeep = async (needs: Needs, signal: AbortSignal): Promise<void> => {
  const { tables } = needs;
  for (let after = ''; ;) {
    const models = await tables.list(
      'models',
      'key',
      {},
      { limit: 100, after: { model_id: after } },
    );
    for (const row of models) {
      await tellRetention(tables, row);
      const found = await findModel(tables, String(row['model_id']));
      if (found === undefined) continue;
      const { id: model } = found;
      const fields = [
        eventsField,
        ...[...(await fieldsOf(tables, model)).keys()].map((column) => fieldKey(needs, column)),
      ];
      // While the events of those days are there.
      await sumUnsummed(needs, model, signal);
      await removeOld(needs, found);
      await removeOldFirings(needs, model);
      await giveUpLabels(needs, model);
      await trimFaults(needs, tables, model);
      await mergeFrames(needs, model, signal);
      let gone = 0;
      for (const field of fields) {
        if (signal.aborted) return;
        gone += await joinPieces(needs, found, field);
      }
      await forgetSent(needs, found);
      // Counts as a change, so that what was read of them before is not answered any more.
      if (gone > 0) await tables.transaction((inside) => lockModel(inside, model));
    }
    if (models.length < 100) return;
    after = String(models.at(-1)?.['model_id']);
  }
};

export const upkeepJob = (needs: Needs): Job => ({
  name: 'monitoring-upkeep',
  everyMs: hourMs / 4,
  run: (signal) => upkeep(needs, signal),
});
