// The output of a run: all of its lines, whose end grows, or those that hold a text or went to standard error.
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { terminalLine } from '../../pure/terminal.js';
import { save } from '../save.js';
import { attempt } from '../attempt.js';
import { runServer } from '../server.js';
import { mostFound, useFoundOutput, useWholeOutput, type LineList } from './log-lines.js';
import { LogList } from './log-list.js';
import { AskAgain } from '../shell/wait.js';

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

const sayCount = (list: LineList, found: boolean): string =>
  list.count === undefined || list.total === undefined
    ? 'loading …'
    : !found
      ? `${formatCount(list.total)} lines`
      : `${formatCount(list.count)}${list.more ? ' or more' : ''} of ${formatCount(list.total)} lines${
          list.count >= mostFound ? '; no more are looked for' : ''
        }`;

export const Logs = ({ run }: { run: string }) => {
  const [search, setSearch] = useState('');
  const [stderr, setStderr] = useState(false);
  const [follow, setFollow] = useState(true);
  const [goTo, setGoTo] = useState<{ readonly line: number }>();
  const finds = search !== '' || stderr;
  const whole = useWholeOutput(run, follow, !finds);
  const found = useFoundOutput(run, { search, stderr });
  const list = finds ? found : whole;
  /** Shows a line that was found among those around it. */
  const showAround = (line: number) => {
    setSearch('');
    setStderr(false);
    setFollow(false);
    setGoTo({ line });
  };
  return (
    <section class="logs">
      <div class="controls">
        <input
          type="search"
          placeholder="search the output"
          aria-label="Search the output"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <button
          type="button"
          aria-pressed={stderr}
          title="Only lines of standard error"
          onClick={() => setStderr(!stderr)}
        >
          stderr
        </button>
        <label>
          <input
            type="checkbox"
            checked={follow}
            onChange={({ currentTarget }) => {
              setFollow(currentTarget.checked);
              setGoTo(currentTarget.checked ? { line: Infinity } : undefined);
            }}
          />{' '}
          follow
        </label>
        <button type="button" onClick={() => attempt(download(run))}>
          Download
        </button>
        <span class="faint" role="status">
          {list.fault === undefined ? (
            sayCount(list, finds)
          ) : (
            <>
              {list.fault} <AskAgain />
            </>
          )}
        </span>
      </div>
      {whole.total === 0 ? <p class="empty">This run has written nothing yet.</p> : null}
      <LogList
        key={finds ? `${String(stderr)} ${search}` : 'all'}
        list={list}
        pinned={follow && !finds}
        goTo={finds ? undefined : goTo}
        show={({ number, text, cut }) => (
          <>
            {finds ? (
              <button
                type="button"
                class="quiet at"
                title="Show it among the lines around it"
                style={{ height: '18px', padding: 0, textAlign: 'left', font: 'inherit' }}
                onClick={() => showAround(number)}
              >
                {number}
              </button>
            ) : (
              <span class="at">{number}</span>
            )}
            <Line text={text} />
            {cut === true ? <span class="faint"> … cut</span> : null}
          </>
        )}
      />
    </section>
  );
};
