// A run beside the table, without leaving it.
import { pathOf } from '../../pure/address.js';
import { labelOf, writeColumn, type RunColumn } from '../../pure/columns.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import type { RunRows } from './rows.js';
import { showCell } from './table-row.js';
import { Fault } from '../shell/wait.js';

const mostShown = 200;

export interface PeekProps {
  readonly run: string;
  readonly rows: RunRows | undefined;
  readonly columns: readonly RunColumn[];
  readonly base: readonly string[];
  readonly onStep: (by: number) => void;
  readonly onClose: () => void;
}

export const Peek = ({ run, rows, columns, base, onStep, onClose }: PeekProps) => {
  const place = rows?.keys.indexOf(run) ?? -1;
  const { value: notes, fault: noNotes } = useLoaded(
    (signal) => runServer.getNotes({ query: { experimentKey: run } }, signal),
    [run],
  );
  const { value: parameters, fault } = useLoaded(
    (signal) => runServer.getParameters({ query: { experimentKey: run } }, signal),
    [run, runsChanged.value],
  );
  const now = Date.now();
  const facts = columns.slice(1).filter(({ kind }) => kind !== 'parameter');
  return (
    <aside class="peek" aria-label="The run at a glance">
      <header>
        <h2 dir="auto">
          <a href={pathOf(...base, 'run', run)}>{String(rows?.values[0]?.[place] ?? run)}</a>
        </h2>
        <button type="button" aria-label="Run above" onClick={() => onStep(-1)}>
          ↑
        </button>
        <button type="button" aria-label="Run below" onClick={() => onStep(1)}>
          ↓
        </button>
        <button type="button" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <table class="plain">
        <tbody>
          {facts.map((column) => (
            <tr key={writeColumn(column)}>
              <th scope="row">{labelOf(column)}</th>
              <td>{showCell(column, rows?.values[columns.indexOf(column)]?.[place], now)}</td>
            </tr>
          ))}
          {parameters?.values.slice(0, mostShown).map(({ name, valueCurrent }) => (
            <tr key={`parameter ${name}`}>
              <th scope="row">{name}</th>
              <td>{valueCurrent}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Cut
        shown={mostShown}
        of={parameters?.values.length ?? 0}
        what="parameters"
        how="the page of the run has all"
      />
      <Fault of={fault ?? noNotes} />
      {notes?.notes ? <p class="notes">{notes.notes}</p> : null}
    </aside>
  );
};
