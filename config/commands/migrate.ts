// `orrery migrate`: the schema of the database, and what plugins keep in it.
import { pluginChanges } from '#adapters/storage/sql/plugin-tables';
import type { Loss } from '#adapters/storage/sql/migrate';
import { Failure } from '#ports/failure';
import type { OpenedStorage } from '../drivers.js';
import { readSchema } from '../installation.js';
import type { Output } from '../output.js';
import { withStorage } from '../with-storage.js';
import { count, listPlugins, readSettings, refuseWhileServing } from './shared.js';

export const migrateUp = (output: Output): Promise<void> => {
  const loaded = readSettings();
  return withStorage(loaded, async ({ storage }) => {
    let changes = await storage.migrations.up();
    for (const { plugin } of await listPlugins(loaded)) {
      const known = (await storage.migrations.owners()).includes(plugin.name);
      if (known)
        changes += await storage.migrations.up(
          plugin.name,
          pluginChanges(plugin.name, plugin.tables ?? []),
        );
    }
    output.line(`${count(changes, 'change')} made`);
    output.json({ changes });
  });
};

export const migrateStatus = (output: Output): Promise<void> =>
  withStorage(readSettings(), async (opened) => {
    const schema = await readSchema(opened);
    output.table(
      schema.map(({ owner, number, name, at, known }) =>
        [
          owner,
          String(number),
          name,
          at === undefined ? output.warning('waiting') : new Date(at).toISOString(),
          known ? '' : output.bad('unknown to this release'),
        ].filter((cell) => cell !== ''),
      ),
    );
    output.json(schema.map(({ at, ...change }) => ({ ...change, at: at ?? null })));
  });

const describe = ({ number, name, table }: Loss): string =>
  `${number} ${name}${table === undefined ? '' : `: the table ${table.name} with ${count(table.rows, 'row')}`}`;

/** Refuses to destroy anything that was not agreed to, after saying what it is. */
const requireConsent = (agreed: boolean, losses: readonly string[], output: Output): void => {
  for (const loss of losses) output.note(`  ${loss}`);
  if (!agreed)
    throw new Failure(
      'conflict',
      'nothing was changed: add --yes to lose what is listed above for good',
    );
};

export const migrateDown = (
  number: string,
  { yes }: { readonly yes: boolean },
  output: Output,
): Promise<void> => {
  const wanted = Number(number);
  if (!Number.isSafeInteger(wanted) || wanted < 1)
    throw new Failure(
      'invalid',
      `migrate down takes how many of the newest changes to undo, a whole number from 1 on, and not ${number.slice(0, 40)}`,
    );
  return withStorage(readSettings(), async (opened) => {
    const { migrations } = opened.storage;
    await refuseWhileServing(opened, 'undoing changes of the schema');
    const losses = await migrations.losses(wanted);
    if (losses.length === 0)
      throw new Failure('conflict', 'no change of the schema was made that could be undone');
    output.note(`These ${count(losses.length, 'change')} would be undone, newest first:`);
    requireConsent(yes, losses.map(describe), output);
    const undone = await migrations.undo(wanted);
    output.line(`${count(undone, 'change')} undone`);
    output.json({ undone, losses });
  });
};

const tablesOf = async ({ storage }: OpenedStorage, owner: string): Promise<readonly string[]> => {
  const snapshot = await storage.transfer.read(async ({ tables, count: countRows }) =>
    Promise.all(tables.map(async ({ name }) => ({ name, rows: await countRows(name) }))),
  );
  const prefix = storage.migrations.prefixOf(owner);
  return snapshot
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, rows }) => `the table ${name} with ${count(rows, 'row')}`);
};

export const migrateDrop = (
  plugin: string,
  { yes }: { readonly yes: boolean },
  output: Output,
): Promise<void> =>
  withStorage(readSettings(), async (opened) => {
    const { migrations } = opened.storage;
    const owners = (await migrations.owners()).filter((owner) => owner !== 'core');
    if (!owners.includes(plugin))
      throw new Failure(
        'absent',
        `this database holds nothing of a plugin ${plugin.slice(0, 80)}${owners.length === 0 ? '' : `; it holds tables of ${owners.join(', ')}`}`,
      );
    await refuseWhileServing(opened, 'removing the tables of a plugin');
    requireConsent(yes, await tablesOf(opened, plugin), output);
    const tables = await migrations.drop(plugin);
    output.line(`${count(tables, 'table')} of ${plugin} removed`);
    output.json({ plugin, tables });
  });
