// Pictures in a grid: a row for each run, a column for each step, or for each value of what the columns are formed by. Only what is on the screen has elements, and what is shown is small.
import type { CSSProperties } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Axis } from '../../pure/axis.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import {
  imageGrid,
  readColumnKey,
  valueBefore,
  writeColumnKey,
  type ColumnKey,
  type Held,
  type ImageGrid as Grid,
} from '../../pure/image-grid.js';
import { loadCurves } from '../charts/curves.js';
import { useLoaded, useTurn } from '../loading.js';
import { saysFault } from '../request.js';
import { Dialog } from '../shell/dialog.js';
import { query, setQuery } from '../state.js';
import { addressOf } from './files.js';
import { useMoves } from './moving.js';
import {
  listPictured,
  loadPictures,
  mostPictures,
  thumbnailOf,
  type Picture,
  type Pictured,
  type Pictures,
} from './matrix.js';
import { Fault, Wait } from '../shell/wait.js';

export interface ImageGridProps {
  readonly runs: readonly string[];
  readonly nameOf: (run: string) => string;
  /** Metrics whose values can form columns. */
  readonly metrics: readonly string[];
}

const edge = 96;
const [cellWidth, cellHeight, nameWidth, headHeight] = [edge + 8, edge + 8, 150, 28];
const thumbnailSize = 128;
const seriesRuns = 100;
/** Rows and columns beyond the screen that have elements too. */
const beyond = 1;

const shownColumn = (column: number | string): string =>
  typeof column === 'number' ? formatNumber(column) : column;

/** The values of a metric at the steps of each run. */
const useValues = (runs: readonly string[], metric: string | undefined) => {
  const { value, fault } = useLoaded(async () => {
    if (metric === undefined) return undefined;
    const axis: Axis = {
      ...{ x: 'step' as const, logX: false, range: undefined },
      ...{ smoothing: 0, smoothBy: 'exponential' as const },
    };
    const { curves } = await loadCurves(runs.slice(0, seriesRuns), metric, axis);
    return new Map(curves.map(({ run, x, columns }) => [run, { x, last: columns['last'] ?? [] }]));
  }, [runs.join(), metric]);
  return {
    fault,
    ready: metric === undefined || value !== undefined,
    valueAt: (run: string, step: number): number | undefined => {
      const of = value?.get(run);
      return of === undefined ? undefined : valueBefore(of.x, of.last, step);
    },
    value,
  };
};

const nothing: Pictures & { readonly fault?: string } = {
  ...{ all: [], keys: [], whole: false, cut: false },
};

const usePictures = (
  runs: readonly string[],
  of: Pictured | undefined,
  metadata: string | undefined,
) => {
  const [state, setState] = useState<Pictures & { readonly fault?: string }>();
  const turn = useTurn(state?.fault !== undefined);
  useEffect(() => {
    setState(undefined);
    if (of === undefined) return undefined;
    const leaving = new AbortController();
    loadPictures(runs, { ...of, metadata }, setState, leaving.signal).catch((thrown: unknown) => {
      if (!leaving.signal.aborted) setState({ ...nothing, whole: true, fault: saysFault(thrown) });
    });
    return () => leaving.abort();
  }, [runs.join(), of?.by, of?.name, metadata, turn]);
  return state;
};

interface Shown {
  readonly rows: readonly [from: number, to: number];
  readonly columns: readonly [from: number, to: number];
}

const rangeOf = (scrolled: number, room: number, size: number): readonly [number, number] => [
  Math.max(0, Math.floor(scrolled / size) - beyond),
  Math.ceil((scrolled + room) / size) + beyond,
];

/** Which rows and columns are on the screen. */
const useShown = () => {
  const scroller = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Shown>({ rows: [0, 0], columns: [0, 0] });
  useLayoutEffect(() => {
    const at = scroller.current;
    if (at === null) return undefined;
    let asked = 0;
    const look = () => {
      asked = 0;
      const next: Shown = {
        rows: rangeOf(at.scrollTop, at.clientHeight - headHeight, cellHeight),
        columns: rangeOf(at.scrollLeft, at.clientWidth - nameWidth, cellWidth),
      };
      setShown((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    const soon = () => {
      asked ||= requestAnimationFrame(look);
    };
    look();
    at.addEventListener('scroll', soon, { passive: true });
    const size = new ResizeObserver(soon);
    size.observe(at);
    return () => {
      cancelAnimationFrame(asked);
      size.disconnect();
      at.removeEventListener('scroll', soon);
    };
  }, []);
  return { scroller, shown };
};

const numbersOf = (range: readonly [number, number], most: number): readonly number[] =>
  Array.from(
    { length: Math.max(0, Math.min(range[1], most) - range[0]) },
    (_, at) => range[0] + at,
  );

const Thumbnail = ({ of, told }: { of: Picture; told: string }) => {
  const [broken, setBroken] = useState(of.remote);
  return broken ? (
    <span class="faint" style={{ fontSize: '11px', overflowWrap: 'anywhere' }}>
      no small picture
    </span>
  ) : (
    <img
      src={thumbnailOf(of, thumbnailSize)}
      alt={told}
      loading="lazy"
      decoding="async"
      style={{ width: `${edge}px`, height: `${edge}px`, objectFit: 'contain' }}
      onError={() => setBroken(true)}
    />
  );
};

const Cells = ({
  run,
  grid,
  columns,
  marked,
  nameOf,
  onOpen,
}: {
  run: string;
  grid: Grid<Picture>;
  columns: readonly number[];
  marked: number;
  nameOf: (run: string) => string;
  onOpen: (run: string, column: number) => void;
}) => (
  <>
    {columns.map((at) => {
      const held = grid.at(run, at);
      const told = `${nameOf(run)} at ${shownColumn(grid.columns[at] ?? '')}`;
      return (
        <div
          key={at}
          role="gridcell"
          aria-colindex={at + 2}
          style={{
            ...{ position: 'absolute', top: 0, left: `${nameWidth + at * cellWidth}px` },
            ...{ width: `${cellWidth}px`, height: `${cellHeight}px`, padding: '4px' },
            background: at === marked ? 'var(--tint)' : undefined,
          }}
        >
          {held === undefined ? null : (
            <button
              key={held.picture.asset}
              type="button"
              class="picture"
              aria-label={`Enlarge ${told}`}
              title={
                held.before === 0
                  ? held.picture.name
                  : `${held.picture.name}, the last of ${held.before + 1} here`
              }
              onClick={() => onOpen(run, at)}
            >
              <Thumbnail of={held.picture} told={told} />
            </button>
          )}
        </div>
      );
    })}
  </>
);

const sticky = { position: 'sticky', background: 'var(--paper)' } as const;

const Sheet = ({
  runs,
  nameOf,
  grid,
  marked,
  onOpen,
}: {
  runs: readonly string[];
  nameOf: (run: string) => string;
  grid: Grid<Picture>;
  /** The column that the slider stands at; -1 for none. */
  marked: number;
  onOpen: (run: string, column: number) => void;
}) => {
  const { scroller, shown } = useShown();
  useEffect(() => {
    if (marked >= 0 && scroller.current !== null) scroller.current.scrollLeft = marked * cellWidth;
  }, [marked]);
  const columns = numbersOf(shown.columns, grid.columns.length);
  const width = `${nameWidth + grid.columns.length * cellWidth}px`;
  const row = (style: CSSProperties): CSSProperties => ({ width, ...style });
  return (
    <div
      ref={scroller}
      class="image-grid"
      role="grid"
      tabIndex={0}
      aria-label="Pictures of runs"
      aria-rowcount={runs.length + 1}
      aria-colcount={grid.columns.length + 1}
      style={{
        ...{ overflow: 'auto', maxHeight: '78vh', border: '1px solid var(--line)' },
        ...{ height: `${headHeight + runs.length * cellHeight + 16}px`, borderRadius: '6px' },
      }}
    >
      <div
        role="row"
        aria-rowindex={1}
        style={row({ ...sticky, top: 0, height: `${headHeight}px`, zIndex: 2 })}
      >
        <div
          role="columnheader"
          aria-colindex={1}
          style={{ ...sticky, left: 0, width: `${nameWidth}px`, height: '100%', zIndex: 1 }}
        >
          <span class="faint">run</span>
        </div>
        {columns.map((at) => (
          <div
            key={at}
            role="columnheader"
            aria-colindex={at + 2}
            aria-current={at === marked ? 'step' : undefined}
            style={{
              ...{ position: 'absolute', top: '4px', left: `${nameWidth + at * cellWidth}px` },
              ...{ width: `${cellWidth}px`, overflow: 'hidden', textOverflow: 'ellipsis' },
              fontWeight: at === marked ? 600 : undefined,
            }}
          >
            {shownColumn(grid.columns[at] ?? '')}
          </div>
        ))}
      </div>
      <div
        role="rowgroup"
        style={row({ position: 'relative', height: `${runs.length * cellHeight}px` })}
      >
        {numbersOf(shown.rows, runs.length).map((place) => {
          const run = runs[place] ?? '';
          return (
            <div
              key={run}
              role="row"
              aria-rowindex={place + 2}
              style={row({
                ...{ position: 'absolute', top: `${place * cellHeight}px` },
                height: `${cellHeight}px`,
              })}
            >
              <div
                role="rowheader"
                aria-colindex={1}
                title={nameOf(run)}
                style={{
                  ...{ ...sticky, left: 0, width: `${nameWidth}px`, height: '100%', zIndex: 1 },
                  ...{ padding: '4px 8px', overflow: 'hidden', textOverflow: 'ellipsis' },
                }}
              >
                {nameOf(run)}
              </div>
              <Cells {...{ run, grid, columns, marked, nameOf, onOpen }} />
            </div>
          );
        })}
      </div>
    </div>
  );
};

const ways: Readonly<Record<string, readonly [run: number, column: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** One picture at its own size; arrows go on to the next in the row or column that has one. */
const Large = ({
  of: { picture },
  told,
  onMove,
  onClose,
}: {
  of: Held<Picture>;
  told: string;
  onMove: (way: readonly [number, number]) => void;
  onClose: () => void;
}) => {
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      const way = ways[key];
      if (way !== undefined) onMove(way);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return (
    <Dialog label={told} wide onClose={onClose}>
      <figure class="large">
        <img src={addressOf({ run: picture.run, id: picture.asset })} alt={told} />
        <figcaption>
          {told} · {picture.name} · ← → ↑ ↓
        </figcaption>
      </figure>
    </Dialog>
  );
};

const Choice = ({ of, chosen }: { of: readonly Pictured[]; chosen: Pictured | undefined }) => (
  <label class="slide">
    pictures
    <select
      aria-label="Pictures"
      value={chosen === undefined ? '' : `${chosen.by} ${chosen.name}`}
      onChange={({ currentTarget }) => setQuery({ image: currentTarget.value })}
    >
      {of.map(({ by, name, count }) => (
        <option key={`${by} ${name}`} value={`${by} ${name}`}>
          {by === 'folder' ? `${name}/ …` : name} ({formatCount(count)})
        </option>
      ))}
    </select>
  </label>
);

const mostOffered = 300;

const ColumnsChoice = ({
  of,
  metrics,
  keys,
}: {
  of: ColumnKey;
  metrics: readonly string[];
  keys: readonly string[];
}) => {
  const offered = of.by === 'metadata' && !keys.includes(of.of) ? [of.of, ...keys] : keys;
  const choose = (key: ColumnKey) => setQuery({ gridby: writeColumnKey(key), step: undefined });
  return (
    <>
      <label class="slide">
        columns by
        <select
          aria-label="Columns by"
          value={of.by === 'name' ? of.by : (writeColumnKey(of) ?? 'step')}
          onChange={({ currentTarget: { value } }) =>
            choose(value === 'name' ? { by: 'name', of: '' } : readColumnKey(value))
          }
        >
          <option value="step">step</option>
          <option value="index">number within the run</option>
          <option value="name">part of the name</option>
          {offered.length === 0 ? null : (
            <optgroup label="metadata">
              {offered.map((one) => (
                <option key={one} value={`metadata:${one}`}>
                  {one}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label="value of a metric">
            {metrics.slice(0, mostOffered).map((one) => (
              <option key={one} value={`metric:${one}`}>
                {one}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      {of.by === 'name' ? (
        <input
          type="text"
          aria-label="Pattern of names"
          placeholder="last number, or sample_*.png"
          title="Columns are formed by what stands at the *"
          defaultValue={of.of}
          onChange={({ currentTarget }) => choose({ by: 'name', of: currentTarget.value })}
        />
      ) : null}
    </>
  );
};

/** The column that the address names, moved by a slider, and by `[` and `]`. */
const useColumn = (columns: readonly (number | string)[]) => {
  const named = query.value.get('step');
  const at = named === null ? -1 : columns.findIndex((one) => String(one) === named);
  return { at, move: useMoves(columns, at) };
};

const sayCount = (
  pictures: Pictures & { readonly fault?: string },
  { left, columns }: Grid<Picture>,
  key: ColumnKey,
): string =>
  [
    `${formatCount(pictures.all.length)} pictures in ${formatCount(columns.length)} columns`,
    ...(pictures.whole ? [] : ['more are on their way']),
    ...(pictures.cut ? [`those after ${formatCount(mostPictures)} are left out`] : []),
    ...(left === 0
      ? []
      : [
          `${formatCount(left)} have no ${key.by === 'name' ? 'such part' : key.by === 'metadata' ? key.of : key.by} and are left out`,
        ]),
  ].join(' · ');

export const ImageGrid = ({ runs, nameOf, metrics }: ImageGridProps) => {
  const pictured = useLoaded((signal) => listPictured(runs, signal), [runs.join()]);
  const named = query.value.get('image');
  const all = pictured.value?.all ?? [];
  const chosen = all.find(({ by, name }) => `${by} ${name}` === named) ?? all[0];
  const key = readColumnKey(query.value.get('gridby'));
  const pictures = usePictures(runs, chosen, key.by === 'metadata' ? key.of : undefined) ?? nothing;
  const values = useValues(runs, key.by === 'metric' ? key.of : undefined);
  const grid = useMemo(
    () => imageGrid(pictures.all, key, values.valueAt),
    [pictures, writeColumnKey(key), values.value],
  );
  const column = useColumn(grid.columns);
  const [large, setLarge] = useState<readonly [run: string, column: number]>();
  const move = ([down, right]: readonly [number, number]) => {
    if (large === undefined) return;
    let [row, at] = [runs.indexOf(large[0]) + down, large[1] + right];
    for (; runs[row] !== undefined && at >= 0 && at < grid.columns.length; row += down, at += right)
      if (grid.at(runs[row] ?? '', at) !== undefined) {
        setLarge([runs[row] ?? '', at]);
        return;
      }
  };
  const fault = pictured.fault ?? pictures.fault ?? values.fault;
  const opened = large === undefined ? undefined : grid.at(...large);
  if (fault !== undefined) return <Fault of={fault} />;
  if (pictured.value === undefined) return <Wait />;
  if (all.length === 0) return <p class="empty">None of these runs logged pictures.</p>;
  return (
    <section aria-label="Grid of pictures">
      <div class="controls">
        <Choice of={all} chosen={chosen} />
        <ColumnsChoice of={key} metrics={metrics} keys={pictures.keys} />
        {grid.columns.length < 2 ? null : (
          <label class="slide step-slider">
            {key.by === 'step' ? 'step' : 'column'}{' '}
            <b>{shownColumn(grid.columns[Math.max(0, column.at)] ?? '')}</b>
            <input
              type="range"
              aria-label="Step"
              min={0}
              max={grid.columns.length - 1}
              value={Math.max(0, column.at)}
              onInput={({ currentTarget }) => column.move(Number(currentTarget.value))}
            />
            <kbd>[</kbd> <kbd>]</kbd>
          </label>
        )}
        <span class="faint" role="status">
          {sayCount(pictures, grid, key)}
          {pictured.value.more ? ' · some names are not offered' : ''}
          {key.by === 'metric' && runs.length > seriesRuns
            ? ` · values of the first ${seriesRuns} runs`
            : ''}
        </span>
      </div>
      <Sheet
        runs={runs}
        nameOf={nameOf}
        grid={grid}
        marked={column.at}
        onOpen={(run, at) => setLarge([run, at])}
      />
      {large === undefined || opened === undefined ? null : (
        <Large
          of={opened}
          told={`${nameOf(large[0])} at ${shownColumn(grid.columns[large[1]] ?? '')}`}
          onMove={move}
          onClose={() => setLarge(undefined)}
        />
      )}
    </section>
  );
};
