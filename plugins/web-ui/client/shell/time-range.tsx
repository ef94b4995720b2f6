// The span of time that a page is about; it stands in the address.
import { ranges, usualRange, type WantedTraces } from '../../pure/trace-list.js';
import { setQuery } from '../state.js';
import { closeDialog, Dialog, openDialog } from './dialog.js';
import { Form, type Fields } from './form.js';

type TimeOfAddress = Pick<WantedTraces, 'range' | 'from' | 'to'>;

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
const askTime = ({ from, to }: TimeOfAddress) => {
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
export const TimeRange = ({ of }: { of: TimeOfAddress }) => {
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
