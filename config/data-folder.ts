// The folder that ORRERY_DATA names: who may make it, whether it is there, and what it remembers of its server.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '#ports/failure';
import { writeFaults } from './file-faults.js';
import type { Loaded } from './load.js';
import type { SettingValues } from './settings.js';

/** The same fault as a sentence that names ORRERY_DATA, where it is one of writing to that folder; else as it came. */
export const explainFolder = ({ ORRERY_DATA: data }: SettingValues, thrown: unknown): unknown => {
  const { code, path } = thrown as { readonly code?: unknown; readonly path?: unknown }; // any thrown value can be asked for members, which may be absent
  const why = typeof code === 'string' ? writeFaults[code] : undefined;
  if (
    why === undefined ||
    typeof path !== 'string' ||
    !(resolve(path) + '/').startsWith(`${resolve(data)}/`)
  )
    return thrown;
  return new Failure('forbidden', `ORRERY_DATA is ${resolve(data)}, which cannot be used: ${why}`, {
    cause: thrown,
  });
};

/** Rejects with `forbidden` unless the data folder can be made and written to. */
export const probeFolder = async (values: SettingValues): Promise<void> => {
  const folder = resolve(values.ORRERY_DATA);
  const probe = join(folder, `.probe-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(probe, 'x');
    await rm(probe);
  } catch (thrown) {
    throw explainFolder(values, thrown);
  }
};

/** Whether everything that these settings keep in the data folder is there. */
const holdsWhatIsKept = (
  values: SettingValues,
  { bytes }: { readonly bytes: boolean },
): boolean => {
  const at = (...names: readonly string[]) =>
    existsSync(join(resolve(values.ORRERY_DATA), ...names));
  if (values.ORRERY_STORAGE === 'embedded') return at('postgres', 'cluster', 'PG_VERSION'); // bytes lie beside it, from the first of them on
  return !bytes || values.ORRERY_BLOB !== 'filesystem' || at('blobs');
};

/** Rejects with `absent` where no server has made its data folder: a command must not make another one in the folder it happens to run in. */
export const requireDataFolder = ({ values }: Loaded, wants: { readonly bytes: boolean }): void => {
  if (holdsWhatIsKept(values, wants)) return;
  throw new Failure(
    'absent',
    `no server has kept data in ${resolve(values.ORRERY_DATA)}: run the command in the folder and with the settings of the server, or name its data folder in ORRERY_DATA`,
  );
};

const addressFile = ({ ORRERY_DATA }: SettingValues): string =>
  join(resolve(ORRERY_DATA), 'address');

/** Remembers how the server is reached, for commands that run without its settings. A folder that cannot be written is left alone. */
export const noteAddress = async (values: SettingValues, baseUrl: string): Promise<void> => {
  const file = addressFile(values);
  if (!existsSync(resolve(values.ORRERY_DATA)) || readAddress(values) === baseUrl) return;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${baseUrl}\n`)
    .then(() => rename(draft, file))
    .catch(() => undefined);
};

const readAddress = (values: SettingValues): string | undefined => {
  try {
    const text = readFileSync(addressFile(values), 'utf8').trim();
    return URL.canParse(text) ? text : undefined;
  } catch {
    return undefined;
  }
};

/** The address that a key may carry: the one that the settings name, else the one under which the server was reached last; `undefined` when neither is known. */
export const knownAddress = ({ values }: Loaded): string | undefined =>
  values.ORRERY_BASE_URL !== '' ? values.ORRERY_BASE_URL : readAddress(values);
