// Labels in whose place others came: their days are summed up again from the events, and what they were is kept.
import type { PluginTables } from '#ports/plugin-tables';
import { additionValues } from './additions.js';
import type { Value } from './items.js';
import { fieldKey, partsOf } from './models.js';
import { dayMs, keyText, type MonitoringNeeds } from './needs.js';
import { packProfiles } from './profile-packing.js';
import { Gathering, lastOwnPiece, Places } from './profiles.js';
import { readEvents } from './reading.js';
import { removeEvery } from './removing.js';

const mostChanges = 1000;
const never = new AbortController().signal;

/** Makes the sums of a column in a day anew; those that a client sent stay. The model is locked. */
export const sumAgain = async (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  tables: PluginTables,
  model: string,
  day: number,
  column: string,
): Promise<void> => {
  const [places, gathering] = [new Places(), new Gathering()];
  const span = { from: day * dayMs, to: (day + 1) * dayMs };
  for await (const batch of readEvents({ tables, ids }, model, span, never, [column])) {
    const [read, versionOf] = [batch.column(column), batch.column('model_version')];
    for (let row = 0; row < batch.length; row++) {
      const value = read(row);
      if (value !== undefined)
        gathering.add(places.of(batch.at(row), String(versionOf(row) ?? '')), value);
    }
  }
  const equals = { model_id: model, field: fieldKey({ ids }, column), day };
  await removeEvery(tables, 'profiles', 'key', equals, lastOwnPiece);
  const content = packProfiles(gathering.profiles());
  await tables.insert('profiles', { ...equals, piece: ids.next(), content });
};

export interface LabelChange {
  /** When another label took its place. */
  readonly replacedAt: number;
  /** What it was, by the names of the labels. */
  readonly labels: Readonly<Record<string, Value>>;
}

/** The labels that a prediction had before, the latest first. */
export const labelChangesOf = async (
  { tables, ids }: Pick<MonitoringNeeds, 'tables' | 'ids'>,
  model: string,
  predictionId: string,
): Promise<readonly LabelChange[]> =>
  (
    await tables.list(
      'label_changes',
      'key',
      { model_id: model, event: keyText(ids, predictionId) },
      { limit: mostChanges, descending: true },
    )
  ).map((row) => ({
    replacedAt: Number(row['at']),
    labels: Object.fromEntries(
      [...additionValues(row)].map(([column, value]) => [partsOf(column).name, value]),
    ),
  }));
