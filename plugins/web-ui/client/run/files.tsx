// Every file that a run logged.
import { useState } from 'preact/hooks';
import { formatBytes, formatCount } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { addressOf, loadFiles } from '../media/files.js';
import { Wait } from './wait.js';

/** Rows that are made at once: more would hold the page up. */
const shownAtOnce = 200;

export const Files = ({ run }: { run: string }) => {
  const found = useLoaded((signal) => loadFiles(run, signal), [run]);
  const [part, setPart] = useState('');
  const [count, setCount] = useState(shownAtOnce);
  if (found.value === undefined) return <Wait of={found} />;
  if (found.value.length === 0) return <p class="empty">This run has logged no files.</p>;
  const wanted = part.toLowerCase();
  const files =
    wanted === ''
      ? found.value
      : found.value.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      {found.value.length > shownAtOnce ? (
        <div class="controls">
          <input
            type="search"
            aria-label="Find a file"
            placeholder={`find among ${formatCount(found.value.length)}`}
            value={part}
            onInput={({ currentTarget }) => {
              setPart(currentTarget.value);
              setCount(shownAtOnce);
            }}
          />
        </div>
      ) : null}
      {files.length === 0 ? (
        <p class="empty">No file has this in its name.</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th>File</th>
              <th>Type</th>
              <th class="number">Step</th>
              <th class="number">Size</th>
            </tr>
          </thead>
          <tbody>
            {files.slice(0, count).map((one) => (
              <tr key={one.id}>
                <td>
                  {one.remote ? (
                    one.name
                  ) : (
                    <a href={addressOf(one)} download>
                      {one.name}
                    </a>
                  )}
                </td>
                <td>{one.type}</td>
                <td class="number">{one.step ?? ''}</td>
                <td class="number">{formatBytes(one.size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {files.length > count ? (
        <p class="controls">
          <span class="faint">
            the first {formatCount(count)} of {formatCount(files.length)} files
          </span>
          <button type="button" onClick={() => setCount(count + shownAtOnce)}>
            Show more
          </button>
        </p>
      ) : null}
    </>
  );
};
