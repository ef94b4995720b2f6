// Which columns the list has.
import { writeList } from '../../pure/address.js';
import { scoreColumn, scoreOf, traceColumns, usualColumns } from '../../pure/trace-list.js';
import { useLoaded } from '../loading.js';
import { setQuery } from '../state.js';
import { tracesServer } from '../traces-server.js';
import { Fault } from '../shell/wait.js';

export const ColumnPicker = ({
  projectId,
  columns,
}: {
  projectId: string;
  columns: readonly string[];
}) => {
  const { value, fault } = useLoaded(
    (signal) => tracesServer.scoreNames({ query: { project_id: projectId } }, signal),
    [projectId],
  );
  const all = [
    ...Object.keys(traceColumns),
    ...(value?.scores ?? []).map(({ name }) => scoreColumn(name)),
  ];
  const set = (chosen: readonly string[]) =>
    setQuery({
      cols: chosen.join() === usualColumns.join() ? undefined : writeList(chosen),
    });
  return (
    <div class="picker" role="group" aria-label="Columns">
      <Fault of={fault} />
      <ul>
        {all.map((column) => (
          <li key={column}>
            <label>
              <input
                type="checkbox"
                checked={columns.includes(column)}
                onChange={({ currentTarget }) =>
                  set(
                    currentTarget.checked
                      ? [...columns, column]
                      : columns.filter((one) => one !== column),
                  )
                }
              />
              {scoreOf(column) === undefined ? column : `score ${scoreOf(column)}`}
            </label>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => setQuery({ cols: undefined })}>
        The usual columns
      </button>
    </div>
  );
};
