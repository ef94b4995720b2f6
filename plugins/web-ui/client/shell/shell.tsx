// What stands around every screen: where one is, the palette, what is told.
import { useEffect, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { lazy } from '../lazy.js';
import { RunsScreen } from '../runs/screen.js';
import { awaySince, session, sessionEnded, signInAddress } from '../request.js';
import { dropToast, isShared, isTyping, place, setTheme, theme, toasts } from '../state.js';
import { OpenDialog } from './dialog.js';
import { Palette } from './palette.js';
import type { Other } from './screens.js';

const Help = lazy<{ onClose: () => void }>(async () => (await import('./help.js')).Help);
const RunScreen = lazy<{
  readonly workspace: string;
  readonly project: string;
  readonly run: string;
  readonly tab: string;
}>(async () => (await import('../run/screen.js')).RunScreen);
const CompareScreen = lazy<{ readonly workspace: string; readonly project: string }>(
  async () => (await import('../compare/screen.js')).CompareScreen,
);

const OtherScreen = lazy<{ readonly at: Other }>(
  async () => (await import('./screens.js')).OtherScreen,
);

const Screen = () => {
  const at = place.value;
  switch (at.screen) {
    case 'runs':
      return <RunsScreen workspace={at.workspace} project={at.project} />;
    case 'compare':
      return <CompareScreen workspace={at.workspace} project={at.project} />;
    case 'run':
      return <RunScreen workspace={at.workspace} project={at.project} run={at.key} tab={at.tab} />;
    default:
      return <OtherScreen at={at} />;
  }
};

const Where = () => {
  const at = place.value;
  const project = 'project' in at ? at.project : 'inProject' in at ? at.inProject : undefined;
  return (
    <nav class="where" aria-label="Where you are">
      <a href={isShared ? '/' : '/w'} class="mark">
        Orrery
      </a>
      {'workspace' in at && !isShared ? (
        <a href={pathOf('w', at.workspace)}>{at.workspace}</a>
      ) : null}
      {project === undefined || !('workspace' in at) ? null : (
        <a href={pathOf('w', at.workspace, 'p', project, 'runs')}>{project}</a>
      )}
      {at.screen === 'settings' ? <a href="/settings">settings</a> : null}
      {'id' in at && !('project' in at) ? (
        <a href={pathOf('w', at.workspace, `${at.screen}s`)}>{at.screen}s</a>
      ) : null}
      {at.screen === 'model' || at.screen === 'artifact' ? (
        <>
          <a href={pathOf('w', at.workspace, `${at.screen}s`)}>{at.screen}s</a>
          <a href={pathOf('w', at.workspace, at.screen, at.name)}>{at.name}</a>
        </>
      ) : null}
    </nav>
  );
};

const themes = ['system', 'light', 'dark'] as const;
const nextTheme = () => {
  const at = themes.findIndex((one) => one === theme.value);
  setTheme(themes[(at + 1) % themes.length] ?? 'system');
};

/** Fetched once there is time: nothing on the screen needs it. */
const noteLater = (at: typeof place.value): void => {
  import('../home/recent.js').then(
    ({ noteSoon }) => noteSoon(at),
    () => undefined, // the server is away, which is said elsewhere
  );
  OtherScreen.ahead();
};

export const Shell = () => {
  const [open, setOpen] = useState<'palette' | 'help'>();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'k' && (event.metaKey || event.ctrlKey) && !isShared) {
        event.preventDefault();
        setOpen('palette');
      } else if (event.key === '?' && !isTyping(event.target)) setOpen('help');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    const at = place.value;
    const name =
      'project' in at
        ? at.project
        : 'name' in at
          ? at.name
          : 'workspace' in at
            ? at.workspace
            : 'part' in at
              ? `Settings, ${at.part}`
              : '';
    document.title = name === '' ? 'Orrery' : `${name} · Orrery`;
    if (!isShared) noteLater(at);
  }, [place.value]);
  return (
    <>
      <header class="top">
        <Where />
        <button type="button" class="find" hidden={isShared} onClick={() => setOpen('palette')}>
          Search <kbd>⌘K</kbd>
        </button>
        <button
          type="button"
          class="quiet themes"
          onClick={nextTheme}
          title="Light, dark or as the system"
        >
          {theme.value}
        </button>
        <button type="button" class="quiet" aria-label="Keys" onClick={() => setOpen('help')}>
          ?
        </button>
        {isShared ? (
          <span class="me">shared, to read</span>
        ) : (
          <a href="/settings" class="me">
            {session.value?.userName}
          </a>
        )}
      </header>
      {awaySince.value === undefined ? null : (
        <p class="away" role="alert">
          The server does not answer since {new Date(awaySince.value).toLocaleTimeString()}; what
          you see is from before.
        </p>
      )}
      {sessionEnded.value ? (
        <p class="away" role="alert">
          Your session has ended. <a href={signInAddress()}>Sign in</a> to go on; what you see is
          from before.
        </p>
      ) : null}
      <Screen />
      {open === 'palette' ? <Palette onClose={() => setOpen(undefined)} /> : null}
      <OpenDialog />
      {open === 'help' ? <Help onClose={() => setOpen(undefined)} /> : null}
      <div class="toasts" role="status">
        {toasts.value.map(({ id, says, undo }) => (
          <p key={id}>
            {says}
            {undo === undefined ? null : (
              <button
                type="button"
                onClick={() => {
                  dropToast(id);
                  undo();
                }}
              >
                Undo
              </button>
            )}
          </p>
        ))}
      </div>
    </>
  );
};
