// What stands above the list: search, time, filters, columns, and whether new traces are looked for.
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { ranges, usualRange, type WantedTraces } from '../../pure/trace-list.js';
import { Views } from '../runs/views.js';
import { closeDialog, Dialog, openDialog } from '../shell/dialog.js';
import { Form, type Fields } from '../shell/form.js';
import { query, setQuery } from '../state.js';
import { ColumnPicker } from './columns.js';
import { Filters } from './filters.js';
import { mostRows, type TraceRows } from './rows.js';

const rangeWords: Readonly<Record<string, string>> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
  all: 'all time',
};

const localText = (at: number | undefined): string => {
  if (at === undefined) return '';
  const zone = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - zone).toISOString().slice(0, 16);
};

/** Asks from when to when; either may be left open. */
const askTime = ({ from, to }: WantedTraces) => {
  const set = async (field: Fields) => {
    const [first, last] = [field('from'), field('to')].map((text) =>
      text === '' ? undefined : new Date(text).toISOString(),
    );
    if (first === undefined && last === undefined) throw new Error('say from when, or to when');
    if (first !== undefined && last !== undefined && first >= last)
      throw new Error('the end must be after the beginning');
    closeDialog();
    setQuery({ from: first, to: last, range: undefined }, true);
  };
  openDialog(
    <Dialog label="Time" onClose={closeDialog}>
      <h2>Time</h2>
      <Form label="Time" verb="Look at it" upright onSend={set}>
        <label>
          From
          <input type="datetime-local" name="from" defaultValue={localText(from)} />
        </label>
        <label>
          To
          <input type="datetime-local" name="to" defaultValue={localText(to)} />
        </label>
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
      </Form>
    </Dialog>,
  );
};

/** A name of a range, or instants for which there is no name. */
const TimeRange = ({ of }: { of: WantedTraces }) => {
  const { range, from, to } = of;
  const shown = (at: number | undefined) =>
    at === undefined ? '…' : new Date(at).toLocaleString();
  return (
    <>
      <select
        aria-label="Time"
        value={range ?? 'own'}
        onChange={({ currentTarget: { value } }) =>
          setQuery(
            { range: value === usualRange ? undefined : value, from: undefined, to: undefined },
            true,
          )
        }
      >
        {Object.keys(ranges).map((name) => (
          <option key={name} value={name}>
            {rangeWords[name]}
          </option>
        ))}
        {range === undefined ? (
          <option value="own">
            {shown(from)} to {shown(to)}
          </option>
        ) : null}
      </select>
      <button type="button" aria-label="Choose a time" onClick={() => askTime(of)}>
        …
      </button>
      {range === undefined ? (
        <button type="button" onClick={() => setQuery({ from: undefined, to: undefined }, true)}>
          Zoom out
        </button>
      ) : null}
    </>
  );
};

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
  seenOf,
}: {
  projectId: string;
  wanted: WantedTraces;
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
    {fault === '' ? '' : `${fault} `}
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
