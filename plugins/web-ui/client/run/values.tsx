// Parameters and other values of a run.
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Wait } from './wait.js';

/** Rows that are shown at once: more take the browser long enough to be felt. */
const shownAtOnce = 100;

export const Values = ({ run, others = false }: { run: string; others?: boolean }) => {
  const [part, setPart] = useState('');
  const found = useLoaded(
    (signal) =>
      (others ? runServer.getOthers : runServer.getParameters)(
        { query: { experimentKey: run } },
        signal,
      ),
    [run, others, runsChanged.value],
  );
  if (found.value === undefined) return <Wait of={found} />;
  const rows = found.value.values.filter(({ name }) => name.toLowerCase().includes(part));
  return (
    <>
      <input
        type="search"
        placeholder={`find among ${found.value.values.length}`}
        aria-label={others ? 'Find an other value' : 'Find a parameter'}
        onInput={({ currentTarget }) => setPart(currentTarget.value.toLowerCase())}
      />
      {rows.length === 0 ? <p class="empty">None here.</p> : null}
      <table class="plain">
        <tbody>
          {rows.slice(0, shownAtOnce).map(({ name, valueCurrent }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{valueCurrent}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shownAtOnce ? (
        <p class="faint">
          {shownAtOnce} of {formatCount(rows.length)}; part of a name finds the others
        </p>
      ) : null}
    </>
  );
};
