// Stores a version of a registered model with all that goes with it: in one statement where an engine takes it so.
import type { NewVersion, Registering } from '#ports/storage/model-versions';
import { holdExperiment } from './assets/held-experiment.js';
import { keyOf, refuseTaken, type Connection } from './connection.js';
import { eventStore } from './events.js';
import { fileColumns, keepFiles } from './registry-files.js';
import { historyRow } from './registry-history.js';

const versionRow = (version: NewVersion, files: number) => ({
  model_id: version.modelId,
  id: version.id,
  source_id: version.experimentId,
  source_key: version.experimentKey,
  source_model_id: version.experimentModelId,
  source_model: version.experimentModelName,
  version: version.version,
  version_key: keyOf(version.modelId, version.version),
  comment: version.comment ?? null,
  tags: JSON.stringify(version.tags),
  status: version.status,
  files,
  user_id: version.userId,
  created_at: version.createdAt,
  updated_at: version.createdAt,
});

type Row = Readonly<Record<string, unknown>>;
type Files = Awaited<ReturnType<typeof keepFiles>>;

const insertInto = (table: string, row: Row): string =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
    .map(() => '?')
    .join(', ')})`;

const storeAtOnce = async (
  { db, dialect }: Connection,
  version: NewVersion,
  { files, left }: Files,
  { latestId, description, public: open, history, event }: Registering,
): Promise<void> => {
  const columns = fileColumns(left);
  const [versions, entries, told] = [versionRow(version, files), historyRow(history), event(files)];
  const { select, bindings } = dialect.pipelined!.given(columns); // asked for by the only caller
  const key = keyOf(told.subject);
  await dialect.run(
    db,
    `with f as (insert into registry_files (${columns.map(({ name }) => name).join(', ')}) ${select}),
v as (${insertInto('registry_versions', versions)}),
m as (update registry_models set versions = versions + 1, latest_id = ?, updated_at = ?, description = coalesce(?, description), public = coalesce(?, public) where id = ? and deleted_at is null),
h as (${insertInto('registry_history', entries)}),
s as (insert into event_subjects (subject_key, subject, last_number, due_at, held_until) values (?, ?, 1, ?, 0)
${dialect.onConflict(['subject_key'], [`last_number = ${dialect.stored('event_subjects', 'last_number')} + 1`, `due_at = ${dialect.incoming('due_at')}`])} returning last_number)
insert into events (subject_key, number, id, name, at, detail) select ?, s.last_number, ?, ?, ?, ? from s`,
    [
      ...bindings,
      ...Object.values(versions),
      latestId,
      version.createdAt,
      description ?? null,
      open ?? null,
      version.modelId,
      ...Object.values(entries),
      key,
      told.subject,
      told.at,
      key,
      told.id,
      told.name,
      told.at,
      JSON.stringify(told.detail),
    ],
  );
};

const storeInTurns = async (
  connection: Connection,
  version: NewVersion,
  { files, left }: Files,
  registering: Registering | undefined,
): Promise<void> => {
  const { db, dialect } = connection;
  if (left.length > 0) await dialect.insertColumns(db, 'registry_files', fileColumns(left));
  await db('registry_versions').insert(versionRow(version, files));
  if (registering === undefined) return;
  const { latestId, description, public: open, history, event } = registering;
  await db('registry_models')
    .where({ id: version.modelId })
    .whereNull('deleted_at')
    .update({
      versions: db.raw('?? + 1', ['versions']),
      latest_id: latestId,
      updated_at: version.createdAt,
      ...(description === undefined ? {} : { description }),
      ...(open === undefined ? {} : { public: open }),
    });
  await db('registry_history').insert(historyRow(history));
  await eventStore(connection).append(event(files));
};

/** The store's `insertVersion`, inside a transaction. */
export const storeVersion = async (
  inside: Connection,
  version: NewVersion,
  registering: Registering | undefined,
): Promise<number> => {
  // Files that come meanwhile wait, and join the version then. Who registers holds the experiment since the model was opened.
  if (registering === undefined) await holdExperiment(inside.db, version.experimentId);
  const found = await keepFiles(inside, version);
  if (found.files === 0) return 0;
  await refuseTaken(
    inside.dialect,
    `the model has a version ${version.version} already`,
    registering === undefined || inside.dialect.pipelined === undefined
      ? storeInTurns(inside, version, found, registering)
      : storeAtOnce(inside, version, found, registering),
  );
  return found.files;
};
