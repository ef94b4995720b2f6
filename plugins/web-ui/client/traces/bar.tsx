// What stands above the list: search, time, filters, columns, and whether new traces are looked for.
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import type { WantedTraces } from '../../pure/trace-list.js';
import { Views } from '../runs/views.js';
import { Forms } from '../shell/forms.js';
import { TimeRange } from '../shell/time-range.js';
import { query, setQuery } from '../state.js';
import { ColumnPicker } from './columns.js';
import { Filters } from './filters.js';
import { mostRows, type TraceRows } from './rows.js';
import { AskAgain } from '../shell/wait.js';

const Search = ({ text }: { text: string }) => {
  const [typed, setTyped] = useState<string>();
  return (
    <form
      class="query"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ q: typed ?? text }, true);
        setTyped(undefined);
      }}
    >
      <input
        type="search"
        id="trace-search"
        aria-label="Search in traces"
        placeholder="Search in names, inputs, outputs, tags, errors"
        dir="auto"
        value={typed ?? text}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={() => typed === '' && text !== '' && setQuery({ q: undefined }, true)}
      />
    </form>
  );
};

export const TraceBar = ({
  projectId,
  wanted,
  total,
  seenOf,
}: {
  projectId: string;
  wanted: WantedTraces;
  /** How many there are, once that is known. */
  total: number | undefined;
  seenOf: (field: string) => readonly string[];
}) => {
  const [picks, setPicks] = useState(false);
  const live = query.value.get('live') !== 'off';
  const charts = query.value.get('charts') !== 'off';
  return (
    <>
      <div class="bar">
        <Search text={wanted.search} />
        <TimeRange of={wanted} />
        <Views project={projectId} of="traces" />
        <button type="button" aria-expanded={picks} onClick={() => setPicks(!picks)}>
          Columns
        </button>
        <button
          type="button"
          aria-pressed={charts}
          onClick={() => setQuery({ charts: charts ? 'off' : undefined })}
        >
          Charts
        </button>
        <button
          type="button"
          aria-pressed={live}
          title="Look for new traces every few seconds"
          onClick={() => setQuery({ live: live ? 'off' : undefined })}
        >
          Live
        </button>
        <Forms {...(total === undefined ? {} : { rows: { total, usual: 100, most: 500 } })} />
      </div>
      <div class="bar" role="group" aria-label="Filters">
        <Filters projectId={projectId} filters={wanted.filters} seenOf={seenOf} />
      </div>
      {picks ? <ColumnPicker projectId={projectId} columns={wanted.columns} /> : null}
    </>
  );
};

/** How much is shown of how much; and what came since, where that is not shown by itself. */
export const Told = ({
  rows,
  fault,
  fresh,
  onFresh,
}: {
  rows: TraceRows | undefined;
  fault: string;
  fresh: number;
  onFresh: () => void;
}) => (
  <p class={fault === '' ? 'told' : 'told fault'} role="status">
    {fault === '' ? null : (
      <>
        {fault} <AskAgain />{' '}
      </>
    )}
    {rows === undefined
      ? fault === ''
        ? 'loading …'
        : ''
      : `${rows.atLeast ? 'more than ' : ''}${formatCount(rows.total)} traces · ${Math.round(rows.tookMs)} ms`}
    {rows?.searchedNewest === undefined
      ? ''
      : ` · only the newest ${formatCount(rows.searchedNewest)} were looked through`}
    {rows !== undefined && rows.total > mostRows
      ? ` · the first ${formatCount(mostRows)} can be scrolled to; filter for the others`
      : ''}
    {fresh > 0 ? (
      <>
        {' · '}
        <button type="button" class="link" onClick={onFresh}>
          {formatCount(fresh)} new: show
        </button>
      </>
    ) : null}
  </p>
);
