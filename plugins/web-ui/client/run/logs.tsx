// The output of a run: its end, which grows, or the lines that hold a text.
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { outputChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';

const linesAtOnce = 1000;
/** What colours a terminal is no text. */
const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

export const Logs = ({ run }: { run: string }) => {
  const [search, setSearch] = useState('');
  const [from, setFrom] = useState<number>();
  const [follow, setFollow] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const tick = follow && search === '' && from === undefined ? outputChanged.value : 0;
  const { value, fault } = useLoaded(
    (signal) =>
      runServer.readOutputLines(
        {
          params: { run },
          query:
            search !== ''
              ? { search, ignoreCase: true, limit: linesAtOnce, from: from ?? 1 }
              : from === undefined
                ? { tail: linesAtOnce }
                : { from, limit: linesAtOnce },
        },
        signal,
      ),
    [run, search, from, tick],
  );
  useEffect(() => {
    if (follow && from === undefined && search === '' && box.current !== null)
      box.current.scrollTop = box.current.scrollHeight;
  }, [value, follow]);
  const first = value?.lines[0]?.number;
  return (
    <section class="logs">
      <div class="controls">
        <input
          type="search"
          placeholder="search the output"
          aria-label="Search the output"
          onChange={({ currentTarget }) => {
            setFrom(undefined);
            setSearch(currentTarget.value);
          }}
        />
        <label>
          <input
            type="checkbox"
            checked={follow}
            onChange={({ currentTarget }) => setFollow(currentTarget.checked)}
          />{' '}
          follow
        </label>
        {first !== undefined && first > 1 && search === '' ? (
          <button type="button" onClick={() => setFrom(Math.max(1, first - linesAtOnce))}>
            earlier
          </button>
        ) : null}
        {typeof value?.next !== 'number' ? null : (
          <button type="button" onClick={() => setFrom(value.next ?? undefined)}>
            later
          </button>
        )}
        {from === undefined ? null : (
          <button type="button" onClick={() => setFrom(undefined)}>
            to the end
          </button>
        )}
        <span class="faint">
          {value === undefined
            ? (fault ?? 'loading …')
            : `${formatCount(value.lines.length)} of ${formatCount(value.total)} lines`}
        </span>
      </div>
      {value?.total === 0 ? <p class="empty">This run has written nothing yet.</p> : null}
      <div class="output" ref={box} tabIndex={0} role="log" aria-label="Output">
        {value?.lines.map(({ number, text, cut }) => (
          <div key={number}>
            <span class="at">{number}</span>
            {text.replaceAll(escapes, '').split('\r').at(-1)}
            {cut === true ? <span class="faint"> … cut</span> : null}
          </div>
        ))}
      </div>
    </section>
  );
};
