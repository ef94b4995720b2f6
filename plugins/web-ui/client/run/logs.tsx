// The output of a run: its end, which grows, or the lines that hold a text.
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { terminalLine } from '../../pure/terminal.js';
import { save } from '../save.js';
import { attempt } from '../attempt.js';
import { outputChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';

const linesAtOnce = 1000;

/** A line as a terminal shows it. */
const Line = ({ text }: { text: string }) => {
  const { pieces, folded } = terminalLine(text);
  return (
    <>
      {folded === 0 ? null : (
        <span class="faint" title="The line was written over so often">
          {formatCount(folded)} folded{' '}
        </span>
      )}
      {pieces.map((one, at) =>
        one.colour === undefined && !one.strong ? (
          one.text
        ) : (
          <span
            key={at}
            class={`${one.colour === undefined ? '' : `ink-${one.colour}`} ${one.strong ? 'strong' : ''}`}
          >
            {one.text}
          </span>
        ),
      )}
    </>
  );
};

/** All of the output, as it was logged. */
const download = async (run: string): Promise<void> => {
  const { output } = await runServer.getOutput({ query: { experimentKey: run } });
  save(`${run}.log`, new Blob([output ?? ''], { type: 'text/plain' }));
};

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
        <button type="button" onClick={() => attempt(download(run))}>
          Download
        </button>
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
            <Line text={text} />
            {cut === true ? <span class="faint"> … cut</span> : null}
          </div>
        ))}
      </div>
    </section>
  );
};
