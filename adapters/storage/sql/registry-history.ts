import type { HistoryAction, HistoryEntry, StatusValue } from '#ports/model/registry';
import type { ModelVersionStore } from '#ports/storage/model-versions';
import type { RegistryStore } from '#ports/storage/registry';
import { orNothing, type Connection } from './connection.js';

interface HistoryRow {
  readonly id: string;
  readonly action: HistoryAction;
  readonly comment: string | null;
  readonly previous: string;
  readonly next: string;
  readonly user_name: string;
  readonly at: unknown;
}

const readValue = (text: string): StatusValue => JSON.parse(text) as StatusValue; // written by `appendHistory`

export const historyRow = (entry: HistoryEntry) => ({
  model_id: entry.modelId,
  version_id: entry.versionId,
  id: entry.id,
  action: entry.action,
  comment: entry.comment ?? null,
  previous: JSON.stringify(entry.previous),
  next: JSON.stringify(entry.next),
  user_name: entry.userName,
  at: entry.at,
});

export const registryHistory = ({
  db,
}: Connection): Pick<ModelVersionStore, 'appendHistory' | 'listHistory'> => ({
  async appendHistory(entry) {
    await db('registry_history').insert(historyRow(entry));
  },
  async listHistory(modelId, versionId, limit) {
    const rows = (await db('registry_history')
      .where({ model_id: modelId, version_id: versionId })
      .orderBy('id', 'desc')
      .limit(limit)
      .select(
        'id',
        'action',
        'comment',
        'previous',
        'next',
        'user_name',
        'at',
      )) as readonly HistoryRow[]; // the columns named
    return rows.map((row) => ({
      id: row.id,
      modelId,
      versionId,
      action: row.action,
      comment: orNothing(row.comment),
      previous: readValue(row.previous),
      next: readValue(row.next),
      userName: row.user_name,
      at: Number(row.at),
    }));
  },
});

export const registryDownloads = ({
  db,
  dialect,
}: Connection): Pick<RegistryStore, 'takeDownload'> => ({
  async takeDownload(userId, windowMs) {
    await db('registry_downloads')
      .insert({ user_id: userId, until: 0 })
      .onConflict('user_id')
      .ignore();
    const taken = await db('registry_downloads')
      .where({ user_id: userId })
      .where('until', '<=', db.raw(dialect.nowMs))
      .update({ until: db.raw(`${dialect.nowMs} + ?`, [windowMs]) });
    if (taken > 0) return 0;
    const row = await db('registry_downloads')
      .where({ user_id: userId })
      .select({ left: db.raw(`?? - ${dialect.nowMs}`, ['until']) })
      .first<{ readonly left: unknown } | undefined>();
    return Math.max(1, Number(row?.left ?? windowMs));
  },
});
