// Which columns the table has: those that are logged, found by part of their name.
import { useState } from 'preact/hooks';
import { columnKinds, sameColumn, writeColumn, type RunColumn } from '../../pure/columns.js';
import { formatCount } from '../../pure/format.js';
import type { KnownColumns } from './chosen.js';
import { useNames } from './names.js';

const shownAtOnce = 100;

export interface PickerProps {
  readonly project: string;
  readonly known: KnownColumns | undefined;
  readonly chosen: readonly RunColumn[];
  readonly onChange: (columns: readonly RunColumn[]) => void;
  readonly onClose: () => void;
}

export const ColumnPicker = ({ project, known, chosen, onChange, onClose }: PickerProps) => {
  const [part, setPart] = useState('');
  const logged = useNames(project, known, part);
  const text = part.toLowerCase();
  const all = [
    ...(known?.metadata ?? [])
      .filter((name) => name !== 'name')
      .map((name) => ({ kind: 'metadata' as const, name, runs: undefined })),
    ...logged,
  ];
  const found = all
    .filter(({ name }) => name.toLowerCase().includes(text))
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
        <p class="faint">{formatCount(found.length - shownAtOnce)} more; type part of a name</p>
      ) : null}
      {known?.more === true ? (
        <p class="faint">
          There are more names than the first {formatCount(known.columns.length)}: part of a name
          finds the others.
        </p>
      ) : null}
      <button type="button" onClick={onClose}>
        Done
      </button>
    </div>
  );
};
