// One board: its widgets on a grid, all about one span of time. Who may change it arranges them by pointer, buttons and keys.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  addWidget,
  editWidget,
  membersOf,
  placesOf,
  placeWidget,
  readBoard,
  removeWidget,
  stamped,
  textOf,
  widgetTypes,
  type BoardChange,
  type BoardSection,
  type WidgetDraft,
} from '../../pure/boards.js';
import { pathOf } from '../../pure/address.js';
import { addSection, emptySection, moveToSection } from '../../pure/board-sections.js';
import { wantedTraces } from '../../pure/trace-list.js';
import { attempt } from '../attempt.js';
import { asJson, boardsServer, newId, type Board } from '../boards-server.js';
import { useLoaded } from '../loading.js';
import { useSubject } from '../subject.js';
import { usePageKeys } from '../page-keys.js';
import { mayWrite } from '../request.js';
import { useSeen } from '../seen.js';
import { server } from '../server.js';
import { openDialog } from '../shell/dialog.js';
import { Asks } from '../shell/form.js';
import { TimeRange } from '../shell/time-range.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery, tell } from '../state.js';
import { Arrange, useDrag } from './arrange.js';
import { WidgetDialog } from './edit.js';
import { isFolded, SectionHead, titleOf, type Change } from './section-head.js';
import type { OfWidget } from './shown.js';
import { WidgetBody } from './widgets.js';

type Config = ReturnType<typeof membersOf>;

/**
 * The configuration that is shown, and what changes it here and where it is stored. Each change is made to what is stored by then, so that
 * what somebody else changed meanwhile stays.
 */
const useConfig = (board: Board, again: () => void): { config: Config; change: Change } => {
  const [config, setConfig] = useState<Config>(() => membersOf(board.config));
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const waiting = useRef(0);
  useEffect(() => {
    if (waiting.current === 0) setConfig(membersOf(board.config));
  }, [board]);
  const params = { dashboardId: board.id };
  const save = async (change: BoardChange, when: Parameters<Change>[1]) => {
    const stored = await boardsServer.show({ params });
    const next = change(membersOf(stored.config));
    const { config: now } = await boardsServer.update({ params, body: { config: asJson(next) } });
    if (waiting.current === 1) setConfig(membersOf(now));
    else if (when === 'stored') setConfig(change);
  };
  return {
    config,
    change(how, when) {
      const change = stamped(how, Date.now());
      if (when === 'at once') setConfig(change);
      waiting.current++;
      const work = line.current.then(() => save(change, when));
      line.current = work.then(
        () => waiting.current--,
        () => {
          waiting.current--;
          again();
        },
      );
      return work;
    },
  };
};

const Frame = ({
  of,
  label,
  style,
  acts,
}: {
  of: OfWidget;
  label: string;
  style: Readonly<Record<string, string>>;
  acts: ComponentChildren;
}) => {
  const box = useRef<HTMLElement>(null);
  const [met, setMet] = useState(false);
  const seen = useSeen(box);
  useEffect(() => {
    if (seen) setMet(true);
  }, [seen]);
  return (
    <section class={`widget of-${of.widget.type}`} ref={box} aria-label={label} style={style}>
      <header>
        <h2 title={label} dir="auto">
          {label}
        </h2>
        {acts}
      </header>
      <div class="widget-body">
        {seen || met ? <WidgetBody {...of} /> : <p class="faint widget-says">…</p>}
      </div>
    </section>
  );
};

const labelOf = ({ title, type }: { readonly title: string; readonly type: string }): string =>
  title ||
  {
    [widgetTypes.metrics]: 'Traces over time',
    [widgetTypes.figure]: 'Figure',
    [widgetTypes.runs]: 'Runs',
    [widgetTypes.query]: 'Query',
    [widgetTypes.text]: 'Text',
  }[type] ||
  type;

const Section = ({
  of,
  others,
  board,
  workspace,
  names,
  time,
  tick,
  editing,
  change,
}: {
  of: BoardSection;
  others: readonly BoardSection[];
  board: Board;
  workspace: string;
  names: ReadonlyMap<string, string>;
  time: OfWidget['time'];
  tick: number;
  editing: boolean;
  change: Change;
}) => {
  const grid = useRef<HTMLDivElement>(null);
  const drag = useDrag(grid, placesOf(of), (id, how) =>
    attempt(change(placeWidget(id, how), 'at once')),
  );
  const places = new Map(drag.places.map((one) => [one.id, one]));
  // In the order in which they are seen, which is that of the keyboard too.
  const order = [...of.widgets].sort((a, b) => {
    const [one, other] = [places.get(a.id) ?? a.box, places.get(b.id) ?? b.box];
    return one.y - other.y || one.x - other.x;
  });
  const remove = (widget: BoardSection['widgets'][number]) => {
    const label = labelOf(widget);
    const { type, title, config, box, id } = widget;
    attempt(
      change(removeWidget(id), 'at once').then(() =>
        tell(`${label} is removed`, () =>
          attempt(change(addWidget(id, { type, title, config }, box, of.id), 'stored')),
        ),
      ),
    );
  };
  const edit = (widget: BoardSection['widgets'][number]) =>
    openDialog(
      <WidgetDialog
        workspace={workspace}
        boardProject={board.project_id}
        of={widget}
        onSend={(draft) => change(editWidget(widget.id, draft), 'stored')}
      />,
    );
  return (
    <div class="board" ref={grid}>
      {order.map((widget) => {
        const label = labelOf(widget);
        const { x, y, w, h } = places.get(widget.id) ?? widget.box;
        const own = textOf(widget.config['projectId']);
        const projectId = own === '' ? board.project_id : own;
        const about =
          board.project_id === undefined && projectId !== undefined
            ? ` · ${names.get(projectId) ?? 'a project that is not there'}`
            : '';
        return (
          <Frame
            key={widget.id}
            of={{ boardId: board.id, widget, projectId, time, tick }}
            label={label + about}
            style={{
              '--x': String(x + 1),
              '--y': String(y + 1),
              '--w': String(w),
              '--h': String(h),
            }}
            acts={
              editing ? (
                <Arrange
                  label={label}
                  onPlace={(how) => attempt(change(placeWidget(widget.id, how), 'at once'))}
                  id={widget.id}
                  grip={drag.grip(widget.id)}
                  onEdit={() => edit(widget)}
                  onRemove={() => remove(widget)}
                  elsewhere={others.map((other) => [
                    titleOf(other),
                    () => attempt(change(moveToSection(widget.id, other.id), 'at once')),
                  ])}
                />
              ) : null
            }
          />
        );
      })}
    </div>
  );
};

const Head = ({
  editing,
  onAdd,
  onSection,
  onRefresh,
}: {
  editing: boolean;
  onAdd: () => void;
  onSection: (title: string) => Promise<void>;
  onRefresh: () => void;
}) => {
  const wanted = wantedTraces(query.value, Date.now());
  return (
    <div class="controls">
      <TimeRange of={wanted} />
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      {mayWrite.value ? (
        <>
          <button
            type="button"
            aria-pressed={editing}
            title="Arrange and change widgets (e)"
            onClick={() => setQuery({ edit: editing ? undefined : 'on' })}
          >
            Edit
          </button>
          {editing ? (
            <Asks
              verb="Add a section"
              label="Add a section"
              send="Add it"
              says="The section is added"
              onSend={(field) => onSection(field('title'))}
            >
              <label>
                Title
                <input name="title" required maxLength={200} autocomplete="off" dir="auto" />
              </label>
            </Asks>
          ) : null}
          <button type="button" class="main" onClick={onAdd}>
            Add a widget
          </button>
        </>
      ) : null}
    </div>
  );
};

const useProjectNames = (workspace: string): ReadonlyMap<string, string> => {
  const { value } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  return useMemo(
    () => new Map((value?.projects ?? []).map((one) => [one.projectId, one.projectName])),
    [value],
  );
};

const Shown = ({
  board,
  workspace,
  again,
}: {
  board: Board;
  workspace: string;
  again: () => void;
}) => {
  const { config, change } = useConfig(board, again);
  const [tick, setTick] = useState(0);
  const names = useProjectNames(workspace);
  const search = query.value;
  const editing = mayWrite.value && search.get('edit') === 'on';
  const asked = ['range', 'from', 'to'].map((one) => search.get(one)).join('\n');
  // What is meant by now stays until something else is asked for.
  const time = useMemo(() => {
    const { from, to } = wantedTraces(search, Date.now());
    return { from, to };
  }, [asked, tick]);
  const add = () =>
    openDialog(
      <WidgetDialog
        workspace={workspace}
        boardProject={board.project_id}
        of={undefined}
        onSend={(draft: WidgetDraft) => change(addWidget(newId(), draft), 'stored')}
      />,
    );
  const refresh = () => {
    setTick((now) => now + 1);
    again();
  };
  usePageKeys({
    e: mayWrite.value ? () => setQuery({ edit: editing ? undefined : 'on' }) : undefined,
    a: mayWrite.value ? add : undefined,
    r: refresh,
  });
  const sections = useMemo(() => readBoard(config), [config]);
  const headed = sections.length > 1 || editing;
  const count = sections.reduce((sum, { widgets }) => sum + widgets.length, 0);
  return (
    <>
      <Head
        editing={editing}
        onAdd={add}
        onSection={(title) => change(addSection(emptySection(newId(), title)), 'at once')}
        onRefresh={refresh}
      />
      {editing ? (
        <p class="faint">
          Drag a widget by its grip, or move the focus to the grip: arrows move it, with shift they
          change its size.
        </p>
      ) : null}
      {count === 0 ? (
        <p class="empty">
          Nothing on this board yet.{' '}
          {mayWrite.value
            ? 'Add a widget: figures of traces, curves of runs, a query or a text.'
            : 'Whoever may write here can add widgets.'}
        </p>
      ) : null}
      {sections.map((section, at) => (
        <div key={section.id}>
          {headed ? (
            <SectionHead
              of={section}
              at={at}
              last={sections.length - 1}
              config={config}
              workspace={workspace}
              project={board.project_id}
              editing={editing}
              change={change}
            />
          ) : null}
          {headed && isFolded(section.id) ? null : (
            <Section
              of={section}
              others={sections.filter((one) => one !== section)}
              board={board}
              workspace={workspace}
              names={names}
              time={time}
              tick={tick}
              editing={editing}
              change={change}
            />
          )}
          {editing && section.widgets.length === 0 && sections.length > 1 ? (
            <p class="faint">Nothing in this section yet.</p>
          ) : null}
        </div>
      ))}
    </>
  );
};

export const BoardScreen = ({ workspace, id }: { workspace: string; id: string }) => {
  const loaded = useSubject(
    (signal) => boardsServer.show({ params: { dashboardId: id } }, signal),
    [workspace, id],
  );
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const board = loaded.value;
  return (
    <main class="page wide">
      <h1 dir="auto">{board.name}</h1>
      <WorkspaceTabs workspace={workspace} at="boards" />
      <Stale of={loaded} what="board" list={pathOf('w', workspace, 'boards')} />
      {board.description === undefined || board.description === '' ? null : (
        <p class="faint" dir="auto">
          {board.description}
        </p>
      )}
      <Shown key={board.id} board={board} workspace={workspace} again={loaded.again} />
    </main>
  );
};
