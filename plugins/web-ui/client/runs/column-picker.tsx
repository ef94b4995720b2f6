// Which columns the table has: those that are logged, found by part of their name.
import { useState } from 'preact/hooks';
import { entriesBelow } from '../../pure/column-tree.js';
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
  readonly onUsual: () => void;
  readonly onClose: () => void;
}

interface Listed extends RunColumn {
  readonly runs: number | undefined;
}
interface Shared {
  readonly chosen: readonly RunColumn[];
  readonly onChange: (columns: readonly RunColumn[]) => void;
}

const One = ({ of: { kind, name, runs }, chosen, onChange }: Shared & { readonly of: Listed }) => {
  const column: RunColumn = { kind, name };
  const on = chosen.some(sameColumn(column));
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={on}
          onChange={() =>
            onChange(on ? chosen.filter((one) => !sameColumn(column)(one)) : [...chosen, column])
          }
        />
        {name}{' '}
        <span class="faint">
          {kind} {runs === undefined ? '' : `· ${runs} runs`}
        </span>
      </label>
    </li>
  );
};

/** Columns of one prefix, which are there once it is unfolded. */
const Branch = ({
  prefix,
  kind,
  inside,
  ...shared
}: Shared & {
  readonly prefix: string;
  readonly kind: string;
  readonly inside: readonly Listed[];
}) => {
  const [open, setOpen] = useState(false);
  const on = inside.filter((one) => shared.chosen.some(sameColumn(one))).length;
  return (
    <li>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {prefix}{' '}
          <span class="faint">
            {kind} · {on === 0 ? '' : `${on} of `}
            {formatCount(inside.length)}
          </span>
        </summary>
        {open ? <List columns={inside} prefix={prefix} {...shared} /> : null}
      </details>
    </li>
  );
};

const List = ({
  columns,
  prefix,
  ...shared
}: Shared & {
  readonly columns: readonly Listed[];
  /** What is unfolded; nothing where columns that were looked for stand in a row. */
  readonly prefix: string | undefined;
}) => {
  const entries =
    prefix === undefined ? columns.map((column) => ({ column })) : entriesBelow(columns, prefix);
  return (
    <>
      <ul>
        {entries
          .slice(0, shownAtOnce)
          .map((one) =>
            'column' in one ? (
              <One key={writeColumn(one.column)} of={one.column} {...shared} />
            ) : (
              <Branch key={`${one.kind} ${one.prefix}`} {...one} {...shared} />
            ),
          )}
      </ul>
      {entries.length > shownAtOnce ? (
        <p class="faint">{formatCount(entries.length - shownAtOnce)} more; type part of a name</p>
      ) : null}
    </>
  );
};

export const ColumnPicker = ({
  project,
  known,
  chosen,
  onChange,
  onUsual,
  onClose,
}: PickerProps) => {
  const [part, setPart] = useState('');
  const logged = useNames(project, known, part);
  const text = part.toLowerCase();
  const all: readonly Listed[] = [
    ...(known?.metadata ?? [])
      .filter((name) => name !== 'name')
      .map((name) => ({ kind: 'metadata' as const, name, runs: undefined })),
    ...logged.map(({ kind, name, runs }) => ({ kind, name, runs })),
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
      <List
        columns={found}
        prefix={text === '' ? '' : undefined}
        chosen={chosen}
        onChange={onChange}
      />
      {known?.more === true ? (
        <p class="faint">
          There are more names than the first {formatCount(known.columns.length)}: part of a name
          finds the others.
        </p>
      ) : null}
      <p class="acts">
        <button type="button" onClick={onUsual}>
          Usual columns
        </button>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </p>
    </div>
  );
};
