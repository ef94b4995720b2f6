// Pages that whoever signed in looked at last, kept in this browser: an address, what the page was called, and where it belongs.
import { readPlace, type Place } from '../../pure/address.js';
import { session } from '../request.js';
import { pathHere } from '../state.js';

export interface Recent {
  readonly path: string;
  readonly name: string;
  /** Such as `run · vision`. */
  readonly says: string;
}

const most = 8;
/** A page that is passed through is not noted. */
const restMs = 1500;

const keyOf = (): string => `recent pages of ${session.value?.userName ?? ''}`;

const isRecent = (one: unknown): one is Recent =>
  typeof one === 'object' &&
  one !== null &&
  ['path', 'name', 'says'].every(
    (name) => typeof (one as Readonly<Record<string, unknown>>)[name] === 'string',
  );

/** The newest first; nothing where what is kept cannot be read. */
export const recentPages = (): readonly Recent[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(kept)
      ? kept.filter(isRecent).filter(({ path }) => readPlace(path).screen !== 'nothing')
      : [];
  } catch {
    return []; // another page wrote it, or none may be kept
  }
};

/** What is somebody's work, and no list of all there is. */
const saysOf = (at: Place): string | undefined => {
  if (at.screen === 'runs') return 'project';
  if ('key' in at) return `run · ${at.project}`;
  if ('id' in at) return 'project' in at ? `${at.screen} · ${at.project}` : at.screen;
  return at.screen === 'model' || at.screen === 'artifact' ? at.screen : undefined;
};

const keep = (at: Place, path: string): void => {
  const says = saysOf(at);
  const name =
    at.screen === 'runs' ? at.project : (document.querySelector('main h1')?.textContent ?? '');
  if (says === undefined || name.trim() === '' || pathHere() !== path) return;
  // A run is one page, whichever of its parts is looked at.
  const own = 'key' in at ? path.split('/').slice(0, 7).join('/') : path;
  const others = recentPages().filter((one) => one.path !== own);
  try {
    localStorage.setItem(
      keyOf(),
      JSON.stringify([{ path: own, name: name.slice(0, 200), says }, ...others].slice(0, most)),
    );
  } catch {
    // The browser keeps nothing for this page.
  }
};

/** Notes the page once one has rested at it. */
export const noteSoon = (at: Place): void => {
  const path = pathHere();
  setTimeout(() => keep(at, path), restMs);
};
