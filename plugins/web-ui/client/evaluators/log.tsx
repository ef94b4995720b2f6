// What became of what a rule was to score, the newest line first.
import { pathOf } from '../../pure/address.js';
import { useStored } from '../loading.js';
import { rulesServer } from '../reviewing-server.js';
import { Rows } from '../shell/rows.js';
import { query, setQuery } from '../state.js';

const mostLines = 500;
const levels = ['ERROR', 'WARN', 'INFO'] as const;
const marks: Readonly<Record<string, string>> = { ERROR: '✗ error', WARN: '! warning' };

const About = ({
  markers,
  base,
}: {
  markers: Readonly<Record<string, string>>;
  base: readonly string[];
}) => (
  <>
    {Object.entries(markers).map(([name, id]) =>
      name === 'trace_id' ? (
        <a key={name} href={pathOf(...base, 'trace', id)}>
          trace →
        </a>
      ) : (
        <span key={name} class="faint" title={id}>
          {name.replace(/_id$/, '')} {id.slice(0, 8)}
        </span>
      ),
    )}
  </>
);

export const RuleLog = ({ id, base }: { id: string; base: readonly string[] }) => {
  const { value, fault, again } = useStored(
    (signal) => rulesServer.logs({ params: { id }, query: { size: mostLines } }, signal),
    [id],
  );
  const level = query.value.get('level') ?? '';
  const shown = value?.content.filter((one) => level === '' || one.level === level);
  return (
    <section aria-label="Log">
      <h2>Log</h2>
      <p class="controls">
        <select
          aria-label="Level"
          value={level}
          onChange={({ currentTarget }) => setQuery({ level: currentTarget.value })}
        >
          <option value="">all lines</option>
          {levels.map((name) => (
            <option key={name} value={name}>
              {name.toLowerCase()} only
            </option>
          ))}
        </select>
        <button type="button" onClick={again}>
          Look again
        </button>
        <span class="faint">
          {value !== undefined && value.content.length >= mostLines
            ? `the newest ${mostLines} lines`
            : ''}
        </span>
      </p>
      <Rows
        label="Lines of the log"
        of={{ value: shown, fault }}
        head={['When', 'Level', 'What', 'About']}
        empty={
          level === ''
            ? 'Nothing yet. A line comes with each thing that the rule scores, or does not.'
            : 'No line of this level.'
        }
      >
        {(one, at) => (
          <tr key={at}>
            <td>{new Date(one.timestamp).toLocaleString()}</td>
            <td class={one.level === 'ERROR' ? 'fault' : ''}>
              {marks[one.level] ?? one.level.toLowerCase()}
            </td>
            <td dir="auto" class="long">
              {one.message}
            </td>
            <td>
              <About markers={one.markers} base={base} />
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
};
