import type { WorkspaceConfigurationStore } from '#ports/storage/workspace-configurations';
import { isTrue, type Connection } from './connection.js';
import { isId } from './ids.js';

interface Row {
  readonly thread_inactivity_seconds: unknown;
  readonly truncates_tables: unknown;
  readonly colors: string | null;
}

export const workspaceConfigurationStore = ({ db }: Connection): WorkspaceConfigurationStore => ({
  async find(workspaceId) {
    const row = isId(workspaceId)
      ? ((await db('workspace_configurations')
          .select('thread_inactivity_seconds', 'truncates_tables', 'colors')
          .where({ workspace_id: workspaceId })
          .first()) as Row | undefined) // the columns named
      : undefined;
    if (row === undefined) return undefined;
    const { thread_inactivity_seconds: seconds, truncates_tables: truncates, colors } = row;
    return {
      threadInactivitySeconds: seconds === null ? undefined : Number(seconds),
      truncatesTables: truncates === null ? undefined : isTrue(truncates),
      colors:
        colors === null ? undefined : (JSON.parse(colors) as Readonly<Record<string, string>>), // written as such
    };
  },
  async put(workspaceId, { threadInactivitySeconds, truncatesTables, colors }) {
    const values = {
      thread_inactivity_seconds: threadInactivitySeconds ?? null,
      truncates_tables: truncatesTables ?? null,
      colors: colors === undefined ? null : JSON.stringify(colors),
    };
    await db('workspace_configurations')
      .insert({ workspace_id: workspaceId, ...values })
      .onConflict('workspace_id')
      .merge(values);
  },
  async remove(workspaceId) {
    if (!isId(workspaceId)) return false;
    return (await db('workspace_configurations').where({ workspace_id: workspaceId }).delete()) > 0;
  },
});
