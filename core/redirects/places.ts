// Where the web UI shows something. Addresses are paths, so that the browser stays where it has its session.
import { Failure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import type { Toggles } from '#ports/toggles';

export const below = (...parts: readonly string[]): string =>
  `/${parts.map(encodeURIComponent).join('/')}`;

/** Rejects with `absent` while the web UI is off. */
export const shownInWebUi = (
  toggles: Toggles,
  workspaceName: string,
  place: readonly string[],
): string => {
  if (toggles.isOn('web-ui')) return below('w', workspaceName, ...place);
  throw new Failure('absent', 'the web UI, which would show this, is switched off');
};

/** While the web UI is off, the page of the project. */
export const placeShown = (
  toggles: Toggles,
  project: Pick<Project, 'id' | 'workspaceName'> | undefined,
  place: readonly string[],
  workspaceName = project?.workspaceName ?? '',
): string =>
  project === undefined || toggles.isOn('web-ui')
    ? shownInWebUi(toggles, workspaceName, place)
    : below('project', project.id);
