// Every file that a run logged.
import { formatBytes } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { readable } from '../state.js';
import { Wait } from './wait.js';

const mostShown = 2000;

export const Files = ({ run }: { run: string }) => {
  const found = useLoaded(
    (signal) => runServer.listAssets({ query: { experimentKey: run } }, signal),
    [run],
  );
  if (found.value === undefined) return <Wait of={found} />;
  const { assets } = found.value;
  if (assets.length === 0) return <p class="empty">This run has logged no files.</p>;
  const address = (id: string) =>
    readable(
      `/api/asset/download?experimentKey=${encodeURIComponent(run)}&assetId=${encodeURIComponent(id)}`,
    );
  return (
    <>
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
          {assets.slice(0, mostShown).map((one) => (
            <tr key={one.assetId}>
              <td>
                {one.remote ? (
                  one.fileName
                ) : (
                  <a href={address(one.assetId)} download>
                    {one.fileName}
                  </a>
                )}
              </td>
              <td>{one.type}</td>
              <td class="number">{one.step ?? ''}</td>
              <td class="number">{formatBytes(one.fileSize)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Cut shown={mostShown} of={assets.length} what="files" />
    </>
  );
};
