// What a statement found: as a table of any length, and as files. A row that is opened shows its values in full.
import { useMemo } from 'preact/hooks';
import { withQuery } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import { cellText, csvOfTable, jsonOfTable, type ResultTable } from '../../pure/sql.js';
import { attempt } from '../attempt.js';
import { save } from '../save.js';
import { Grid, type GridColumn } from '../shell/grid.js';
import { query, setQuery } from '../state.js';
import { parquetOf } from './parquet.js';
import { Json } from '../trace/json.js';

const mostColumns = 200;

const FullRow = ({ of: { columns, rows }, at }: { of: ResultTable; at: number }) => {
  const row = rows[at];
  return (
    <section class="right" aria-label="At a glance">
      <p class="controls">
        <b>row {formatCount(at + 1)}</b>
        <button type="button" onClick={() => setQuery({ row: undefined })}>
          Close
        </button>
      </p>
      {row === undefined ? (
        <p class="faint">There is no such row.</p>
      ) : (
        <Json
          value={Object.fromEntries(columns.map((name, place) => [name, row[place] ?? null]))}
        />
      )}
    </section>
  );
};

export const ResultView = ({ of, tookMs }: { of: ResultTable; tookMs: number }) => {
  const { columns, rows } = of;
  const shown = columns.slice(0, mostColumns);
  const heads = useMemo(
    () =>
      shown.map((label, at): GridColumn => {
        const numeric = rows.slice(0, 50).some((row) => typeof row[at] === 'number');
        return { label, width: numeric ? 110 : 150, grows: true, numeric };
      }),
    [of],
  );
  const open = query.value.get('row');
  const opened = open === null ? undefined : Math.max(0, Math.floor(Number(open)) || 0);
  return (
    <>
      <p class="controls">
        <span role="status">
          {`${formatCount(rows.length)} ${rows.length === 1 ? 'row' : 'rows'} of ${columns.length} ${columns.length === 1 ? 'column' : 'columns'} in ${formatCount(Math.round(tookMs))} ms`}
          {columns.length > mostColumns ? `; the first ${mostColumns} columns are shown` : ''}
        </span>
        <button
          type="button"
          onClick={() =>
            save('result.csv', new Blob([`${csvOfTable(of)}\n`], { type: 'text/csv' }))
          }
        >
          Save as CSV
        </button>
        <button
          type="button"
          onClick={() =>
            save('result.json', new Blob([jsonOfTable(of)], { type: 'application/json' }))
          }
        >
          Save as JSON
        </button>
        <button
          type="button"
          disabled={rows.length === 0}
          onClick={() =>
            attempt(
              parquetOf(of).then((file) => {
                save('result.parquet', file);
              }),
            )
          }
        >
          Save as Parquet
        </button>
      </p>
      {rows.length === 0 ? (
        <p class="empty">The statement finds no rows.</p>
      ) : (
        <div class={opened === undefined ? 'halves within one' : 'halves within'}>
          <section class="left" aria-label="Result">
            <Grid
              label="Result"
              columns={heads}
              count={rows.length}
              at={(place) => {
                const row = rows[place];
                return row === undefined
                  ? undefined
                  : {
                      key: String(place),
                      address:
                        location.pathname + withQuery(location.search, { row: String(place) }),
                      cells: shown.map((_, at) => ({
                        text: cellText(row[at]),
                        kind: typeof row[at] === 'number' ? 'number' : '',
                      })),
                    };
              }}
              of={of}
              cursor={opened}
              onOpen={(key) => setQuery({ row: key })}
            />
          </section>
          {opened === undefined ? null : <FullRow of={of} at={opened} />}
        </div>
      )}
    </>
  );
};
