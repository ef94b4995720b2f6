// Views that people saved of a project: opened into the address, saved from it, shared, and seen first.
import { useEffect, useState } from 'preact/hooks';
import { changesTo, contentOf, readContent, sameContent, type ViewOf } from '../../pure/views.js';
import { attempt } from '../attempt.js';
import { lazy } from '../lazy.js';
import { useLoaded } from '../loading.js';
import { askAgain } from '../request.js';
import { runsServer } from '../server.js';
import { deletions, deleteSoon, isGoing } from '../shell/delete-soon.js';
import { Menu } from '../shell/menu.js';
import { query, setQuery, tell } from '../state.js';
import { takeColumns } from './kept.js';
import type { SaveViewProps } from './save-view.js';

type Listed = Awaited<ReturnType<typeof runsServer.listViews>>;
type View = Awaited<ReturnType<typeof runsServer.getView>>;

const show = (of: ViewOf, view: View, step: boolean): void =>
  setQuery(
    { ...changesTo(readContent(view.content, of), of), view: view.id, zoom: undefined },
    step,
  );

const SaveDialog = lazy<SaveViewProps>(async () => (await import('./save-view.js')).SaveView);

/** The view that the address names, and which there are; where an address says nothing, the view that is seen first is opened. */
const useViews = (project: string, of: ViewOf) => {
  const [tick, setTick] = useState(0);
  const { value: listed, fault } = useLoaded(
    (signal) => runsServer.listViews({ query: { project, type: of } }, signal),
    [project, tick, deletions.value],
  );
  const id = query.value.get('view') ?? '';
  const { value: open } = useLoaded(
    async (signal) =>
      id === '' ? undefined : await runsServer.getView({ params: { view: id } }, signal),
    [id, tick],
  );
  const first =
    listed === undefined ? undefined : (listed.ownDefault ?? listed.projectDefault ?? null);
  useEffect(() => {
    if (first === undefined || location.search !== '') return;
    if (first === null) {
      if (of === 'runs') takeColumns(project);
      return;
    }
    attempt(runsServer.getView({ params: { view: first } }).then((view) => show(of, view, false)));
  }, [first]);
  return {
    listed,
    fault,
    open: open?.id === id ? open : undefined,
    again: () => setTick(tick + 1),
  };
};

/** Everything that can be done with views, by its name. */
const entriesOf = (
  { views, ownDefault, projectDefault }: Listed,
  open: View | undefined,
  dirty: boolean,
  { of, again, ask }: { readonly of: ViewOf; readonly again: () => void; readonly ask: () => void },
): readonly (readonly [string, (() => void) | undefined])[] => {
  const change = (work: Promise<unknown>, says: string) =>
    attempt(
      work.then(() => {
        again();
        tell(says);
      }),
    );
  const named = open === undefined ? undefined : { params: { view: open.id } };
  const isFirst = (first: string | null) => open !== undefined && first === open.id;
  return [
    ...views.map(
      (one) =>
        [
          `${one.name}${one.shared ? ' · shared' : ''}${one.id === (ownDefault ?? projectDefault) ? ' · seen first' : ''}`,
          () =>
            attempt(
              runsServer.getView({ params: { view: one.id } }).then((view) => show(of, view, true)),
            ),
        ] as const,
    ),
    ['Save as …', ask],
    [
      `Save ${open?.name ?? ''}`,
      named === undefined || !dirty || open === undefined
        ? undefined
        : () =>
            change(
              runsServer.updateView({
                ...named,
                body: { version: open.version, content: contentOf(query.value, of) },
              }),
              `${open.name} saved`,
            ),
    ],
    ['Undo changes', open === undefined || !dirty ? undefined : () => show(of, open, true)],
    [
      isFirst(ownDefault) ? 'No longer what I see first' : 'What I see first',
      named === undefined
        ? undefined
        : () =>
            change(
              runsServer.setOwnDefault({ ...named, body: { default: !isFirst(ownDefault) } }),
              'Saved',
            ),
    ],
    [
      isFirst(projectDefault) ? 'No longer what everybody sees first' : 'What everybody sees first',
      named === undefined || open?.shared !== true
        ? undefined
        : () =>
            change(
              runsServer.setProjectDefault({
                ...named,
                body: { default: !isFirst(projectDefault) },
              }),
              'Saved',
            ),
    ],
    [
      open?.shared === true ? 'Keep to myself' : 'Share with everybody',
      named === undefined || open === undefined
        ? undefined
        : () =>
            change(
              runsServer.updateView({
                ...named,
                body: { version: open.version, shared: !open.shared },
              }),
              open.shared ? 'No longer shared' : 'Shared',
            ),
    ],
    [
      `Delete ${open?.name ?? ''}`,
      named === undefined || open === undefined || isGoing('view', open.id)
        ? undefined
        : () =>
            deleteSoon({
              what: 'view',
              name: open.name,
              id: open.id,
              onDo: () =>
                runsServer.deleteView(named).then(() => {
                  if (query.value.get('view') === open.id) setQuery({ view: undefined });
                }),
            }),
    ],
    [
      'Copy the link',
      () => attempt(navigator.clipboard.writeText(location.href).then(() => tell('Link copied'))),
    ],
  ];
};

export const Views = ({ project, of = 'runs' }: { project: string; of?: ViewOf }) => {
  const [at, setAt] = useState<Element>();
  const [saving, setSaving] = useState(false);
  const { listed, fault, open, again } = useViews(project, of);
  /** Where they did not come it says why, asks once more, and shows them when they are there. */
  const press = (place: Element) => {
    setAt(place);
    if (listed !== undefined || fault === undefined) return;
    tell(fault);
    askAgain();
  };
  const dirty =
    open !== undefined &&
    !sameContent(readContent(open.content, of), contentOf(query.value, of), of);
  const save = async (name: string, shared: boolean) => {
    const made = await runsServer.createView({
      body: { project, type: of, name, shared, content: contentOf(query.value, of) },
    });
    setQuery({ view: made.id });
    again();
    tell(`${made.name} saved`);
  };
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        class="view-button"
        title={dirty ? 'This differs from the view that was saved' : 'Views of this project'}
        onClick={({ currentTarget }) => press(currentTarget)}
      >
        {open === undefined ? 'views' : open.name}
        {dirty ? ' *' : ''} ▾
      </button>
      {at === undefined || listed === undefined ? null : (
        <Menu
          at={at}
          label="Views"
          entries={entriesOf(listed, open, dirty, { of, again, ask: () => setSaving(true) })}
          onClose={() => setAt(undefined)}
        />
      )}
      {saving ? <SaveDialog onSave={save} onClose={() => setSaving(false)} /> : null}
    </>
  );
};
