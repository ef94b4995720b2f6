#!/usr/bin/env node
// The command `orrery`: serve, and what an administrator does beside a running server.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '#adapters/system/clock';
import { auditBlobs } from '#core/upkeep/audit';
import { Failure, isFailure } from '#ports/failure';
import { check } from './check.js';
import { systemLog } from '#adapters/system/log';
import { gatherPlugins, openAuth } from './compose.js';
import { openBlobs } from './drivers.js';
import { requireSchema } from './first-start.js';
import { probeFolder, readSchema } from './installation.js';
import { loadSettings, shown, type Loaded } from './load.js';
import { call } from './call.js';
import { start } from './start.js';
import { exportTo, importFrom, type TransferNeeds } from './transfer.js';
import { settingNames } from './settings.js';
import { withStorage } from './with-storage.js';

const usage = `orrery serve
orrery migrate up | down NUMBER | status | drop PLUGIN
orrery user add NAME [--workspace W] [--api-key K] [--password P] [--email E] [--admin]
orrery call OPERATION [JSON]
orrery audit blobs [--fix]
orrery settings
orrery check
orrery export FILE [--without-bytes]
orrery import FILE
`;

const say = (line: string) => { process.stdout.write(`${line}\n`); };

/** Exports and imports, with the storage and the bucket that the settings name. */
const carry = async (loaded: Loaded, words: readonly string[], work: (words: readonly string[], needs: TransferNeeds) => Promise<string>): Promise<void> => {
  const plugins = await gatherPlugins(loaded, systemLog('warn'));
  await withStorage(loaded, async (opened) => {
    const { blob } = await openBlobs(loaded.values);
    say(await work(words, { opened, plugins, blob, tell: (line) => { process.stderr.write(`${line}\n`); } }));
  });
};

const migrate = (loaded: Loaded, [what = '', argument]: readonly string[]): Promise<void> => withStorage(loaded, async ({ storage }) => {
  if (what === 'up') { say(`${await storage.migrations.up()} changes made`); return; }
  if (what === 'down') {
    const to = Number(argument ?? 0);
    if (!Number.isSafeInteger(to) || to < 0) throw new Failure('invalid', 'migrate down takes the number of the last change to keep');
    say(`${await storage.migrations.down(to)} changes taken back`);
    return;
  }
  if (what === 'status') {
    for (const change of await readSchema({ storage })) say(`${change.owner} ${change.number} ${change.name}: ${change.at === undefined ? 'waiting' : `made ${new Date(change.at).toISOString()}`}${change.known ? '' : ', unknown to this release'}`);
    return;
  }
  if (what === 'drop') {
    if (argument === undefined || argument === 'core') throw new Failure('invalid', 'migrate drop takes the name of a plugin');
    say(`${await storage.migrations.drop(argument)} tables of ${argument} removed`);
    return;
  }
  throw new Failure('invalid', 'migrate takes up, down, status or drop');
});

const addUser = (loaded: Loaded, words: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...words], allowPositionals: true,
    options: { workspace: { type: 'string' }, 'api-key': { type: 'string' }, password: { type: 'string' }, email: { type: 'string' }, admin: { type: 'boolean' } },
  });
  const [what, name] = positionals;
  if (what !== 'add' || name === undefined) throw new Failure('invalid', 'user takes add and a name');
  return withStorage(loaded, async (opened) => {
    const { storage } = opened;
    const { values: settings } = loaded;
    await requireSchema(opened, settings);
    const auth = openAuth(storage, settings, settings.ORRERY_BASE_URL === '' ? `http://${settings.ORRERY_HOST}:${settings.ORRERY_PORT}` : settings.ORRERY_BASE_URL);
    const made = await auth.addUser({
      name, admin: values.admin === true, ...(values.workspace === undefined ? {} : { workspace: values.workspace }), ...(values['api-key'] === undefined ? {} : { apiKey: values['api-key'] }),
      ...(values.password === undefined ? {} : { password: values.password }), ...(values.email === undefined ? {} : { email: values.email }),
    });
    say(JSON.stringify({ user: made.user.name, workspace: made.workspace, apiKey: made.apiKey, admin: made.user.admin }));
  });
};

const audit = (loaded: Loaded, words: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options: { fix: { type: 'boolean' } } });
  if (positionals.length !== 1 || positionals[0] !== 'blobs') throw new Failure('invalid', 'audit takes blobs, and --fix to remove what only one side has');
  const fix = values.fix === true;
  return withStorage(loaded, async (opened) => {
    await requireSchema(opened, loaded.values);
    const counts = await auditBlobs({ assets: opened.storage.stores.assets, store: await openBlobs(loaded.values), clock: systemClock }, fix, (finding) => { say(`${fix && finding.removed ? 'removed' : 'found  '} ${finding.what}`); });
    say(`${counts.blobs} blobs and ${counts.rows} rows looked at, ${counts.found} findings, ${counts.removed} removed`);
    if (counts.found > counts.removed) process.exitCode = 1;
  });
};

const showSettings = ({ values, sources, toggles, warnings }: Loaded): void => {
  for (const name of settingNames) say(`${name} = ${String(shown(name, values[name]))} (${sources[name]})`);
  for (const [name, toggle] of toggles) say(`toggle ${name} = ${toggle.enabled ? 'on' : 'off'} (${toggle.source})`);
  for (const warning of warnings) say(`warning: ${warning}`);
};

const run = async ([command = '', ...words]: readonly string[]): Promise<void> => {
  if (command === '' || command === 'help' || command === '--help') { say(usage.trimEnd()); return; }
  if (command === 'serve') { await start(process.env); return; }
  const loaded = loadSettings(process.env);
  if (command === 'migrate') { await migrate(loaded, words); return; }
  if (command === 'user') { await addUser(loaded, words); return; }
  if (command === 'call') { await call(loaded, words); return; }
  if (command === 'audit') { await audit(loaded, words); return; }
  if (command === 'export') { await carry(loaded, words, exportTo); return; }
  if (command === 'import') { await carry(loaded, words, importFrom); return; }
  if (command === 'settings') { showSettings(loaded); return; }
  if (command === 'check') {
    const results = await check(loaded, { withStorage, isWritable: () => probeFolder(resolve(loaded.values.ORRERY_DATA)) });
    for (const { what, fault, warning } of results) say(`${fault !== undefined ? 'FAILED ' : warning !== undefined ? 'warning' : 'ok     '} ${what}${fault === undefined && warning === undefined ? '' : `: ${fault ?? warning ?? ''}`}`);
    if (results.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
    return;
  }
  throw new Failure('invalid', `${command} is not a command; see orrery help`);
};

try {
  await run(process.argv.slice(2));
} catch (thrown) {
  const isUsage = (thrown as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'; // any thrown value can be asked for members, which may be absent
  process.stderr.write(isFailure(thrown) || isUsage ? `${(thrown as Error).message}\n` : `${thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown)}\n`);
  process.exit(1);
}
