// What the installation was used for: runs, hours and bytes, by day, week or month, workspace and user.
import { formatCount, formatNumber } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { Rows } from '../shell/rows.js';
import { query, setQuery } from '../state.js';

const units = ['day', 'week', 'month'] as const;
const dayMs = 86_400_000;
/** How far back a table of each unit goes. */
const reach = { day: 31, week: 180, month: 730 } as const;
const mostShown = 500;

interface Used {
  readonly period: string;
  readonly workspace: string;
  readonly user: string;
  readonly experiments: number;
  readonly runningHours: number;
  readonly gpuHours: number;
  readonly dataMb: number;
}

/** The lines of a report, which comes as a file of JSON. */
const readReport = (report: unknown): readonly Used[] =>
  (report as { readonly rows: readonly Used[] }).rows; // as the row says

export const Usage = () => {
  const unit = units.find((one) => one === query.value.get('units')) ?? 'month';
  const { value, fault } = useLoaded(
    async (signal) => {
      const from = Math.floor(Date.now() / dayMs) * dayMs - reach[unit] * dayMs;
      const report: unknown = await adminServer.usage({ query: { units: unit, from } }, signal);
      return [...readReport(report)].reverse();
    },
    [unit],
  );
  return (
    <>
      <p class="controls">
        <label>
          By
          <select
            value={unit}
            onChange={({ currentTarget }) => setQuery({ units: currentTarget.value }, true)}
          >
            {units.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <a class="button" href={`/api/admin/usage/report?format=csv&units=${unit}`} download>
          Download all as CSV
        </a>
        <a
          class="button"
          href="/api/admin/chargeback/report?format=csv&part=workspaces"
          download="chargeback-workspaces.csv"
        >
          What each workspace stores
        </a>
        <a
          class="button"
          href="/api/admin/chargeback/report?format=csv&part=users"
          download="chargeback-users.csv"
        >
          What each user stores
        </a>
        <span class="faint">the last {reach[unit]} days; what was deleted counts too</span>
      </p>
      <Rows
        label="Usage"
        of={{ value: value?.slice(0, mostShown), fault }}
        head={['Period', 'Workspace', 'User', 'Runs', 'Hours', 'GPU hours', 'MB']}
        empty="Nothing was logged in that time."
      >
        {(one) => (
          <tr key={`${one.period} ${one.workspace} ${one.user}`}>
            <td>{one.period}</td>
            <td class="long">{one.workspace}</td>
            <td>{one.user}</td>
            <td>{formatCount(one.experiments)}</td>
            <td>{formatNumber(one.runningHours)}</td>
            <td>{formatNumber(one.gpuHours)}</td>
            <td>{formatNumber(one.dataMb)}</td>
          </tr>
        )}
      </Rows>
      {value !== undefined && value.length > mostShown ? (
        <p class="faint">
          The newest {mostShown} of {formatCount(value.length)} lines; the CSV has all.
        </p>
      ) : null}
    </>
  );
};
