// Which columns the table has: those that are logged, found by part of their name.
import { useState } from 'preact/hooks';
import { columnKinds, sameColumn, writeColumn, type RunColumn } from '../../pure/columns.js';
import type { KnownColumns } from './chosen.js';

const shownAtOnce = 200;

export const ColumnPicker = ({
  known,
  chosen,
  onChange,
  onClose,
}: {
  known: KnownColumns | undefined;
  chosen: readonly RunColumn[];
  onChange: (columns: readonly RunColumn[]) => void;
  onClose: () => void;
}) => {
  const [part, setPart] = useState('');
  const all = [
    ...(known?.metadata ?? [])
      .filter((name) => name !== 'name')
      .map((name) => ({ kind: 'metadata' as const, name, runs: undefined })),
    ...(known?.columns ?? []),
  ];
  const found = all
    .filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
    .sort((a, b) => columnKinds.indexOf(a.kind) - columnKinds.indexOf(b.kind));
  return (
    <div class="picker" role="group" aria-label="Columns">
      <input
        type="search"
        aria-label="Find a column"
        placeholder="find a column"
        onInput={({ currentTarget }) => setPart(currentTarget.value)}
      />
      <ul>
        {found.slice(0, shownAtOnce).map(({ kind, name, runs }) => {
          const column: RunColumn = { kind, name };
          const on = chosen.some(sameColumn(column));
          return (
            <li key={writeColumn(column)}>
              <label>
                <input
                  type="checkbox"
                  checked={on}
                  onChange={() =>
                    onChange(
                      on ? chosen.filter((one) => !sameColumn(column)(one)) : [...chosen, column],
                    )
                  }
                />
                {name}{' '}
                <span class="faint">
                  {kind} {runs === undefined ? '' : `· ${runs} runs`}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
      {found.length > shownAtOnce ? (
        <p class="faint">{found.length - shownAtOnce} more; type part of a name</p>
      ) : null}
      <button type="button" onClick={onClose}>
        Done
      </button>
    </div>
  );
};
