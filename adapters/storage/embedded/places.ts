import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chmod, chown, mkdir, mkdtemp } from 'node:fs/promises';
import type { Identity } from './identity.js';
import type { Runner } from './runner.js';

/** Where everything of one embedded database lies; all paths are absolute. */
export interface Places {
  readonly folder: string;
  /** The database's own folder, owned by whoever runs it. */
  readonly cluster: string;
  /** Becomes `cluster` by one rename, so a first start that was killed leaves nothing half-made. */
  readonly making: string;
  /** Private folder of the socket, unless its path is too long for one. */
  readonly sockets: string;
  /** Library links and a copy of the programs, where the installed ones cannot be used as they lie. */
  readonly links: string;
  readonly copies: string;
  /** Mode 0600, the application's user's. */
  readonly password: string;
  /** Names the one process that serves the folder. */
  readonly lock: string;
  /** Bytes held back, to be given up when the disk is full. */
  readonly ballast: string;
}

export const locate = (folder: string): Places => {
  const at = (name: string) => join(resolve(folder), name);
  return {
    folder: resolve(folder),
    cluster: at('cluster'),
    making: at('cluster.making'),
    sockets: at('run'),
    links: at('lib'),
    copies: at('programs'),
    password: at('password'),
    lock: at('lock'),
    ballast: at('ballast'),
  };
};

/** Makes the data folder: closed to all others, but passable for whoever runs the database. */
export const makeFolder = async (
  { folder }: Places,
  owner: Identity | undefined,
): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await chmod(folder, owner ? 0o711 : 0o700);
};

/** A folder that only one user can enter: `owner`, or this process's user. */
const makePrivate = async (path: string, owner: Identity | undefined): Promise<void> => {
  await mkdir(path, { recursive: true });
  if (owner) await chown(path, owner.uid, owner.gid);
  await chmod(path, 0o700);
};

export const port = 5432;

/** Systems allow about 107 bytes for a socket's path; some fewer. */
const longestSocketPath = 100;

/** Whether a socket in `folder` has a path that every system takes. */
const fitsSocket = (folder: string): boolean =>
  Buffer.byteLength(join(folder, `.s.PGSQL.${String(port)}`)) < longestSocketPath;

/** Makes a private folder for the socket: in the data folder, or under the temporary folder when that path is too long or barred to the server. */
export const makeSocketFolder = async (
  places: Places,
  { identity, barred }: Runner,
): Promise<string> => {
  const folder =
    fitsSocket(places.sockets) && !barred
      ? places.sockets
      : await mkdtemp(join(tmpdir(), 'orrery-'));
  await makePrivate(folder, identity);
  return folder;
};
