// Which addresses are the server's own: rows whose path begins with a name of any kind do not answer there.
import { familiesOf, rootsOf } from './families.js';
import type { Route } from './route.js';

/** The paths of a row. */
export const pathsOfRow = ({ operation }: Pick<Route, 'operation'>): readonly string[] =>
  [operation.path].flat();

/** Whether a path begins with a name of any kind. */
export const isWide = (path: string): boolean => path.startsWith('/{');

/** What stands before the second slash. */
export const firstSegment = (path: string): string => path.split('/', 2)[1] ?? '';

/** Says of a path whether its first name belongs to a family or to a row. Areas with wide paths own no names: workspaces may be called like theirs. */
export const ownAddresses = (routes: readonly Route[]): ((path: string) => boolean) => {
  const wideAreas = new Set(
    routes.filter((route) => pathsOfRow(route).some(isWide)).map(({ area }) => area),
  );
  const rows = routes.filter(({ area }) => !wideAreas.has(area)).flatMap(pathsOfRow);
  const names = new Set([...rootsOf(familiesOf(routes)), ...rows].map(firstSegment));
  names.delete('');
  return (path) => names.has(firstSegment(path));
};
