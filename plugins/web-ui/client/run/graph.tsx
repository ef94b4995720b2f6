// The graph of the model of a run: its layers where it tells them, else the text that was logged.
import { useMemo } from 'preact/hooks';
import { readLayers } from '../../pure/model-graph.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { Copy, Lines } from './lines.js';
import { Wait } from './wait.js';

const mostLayers = 1000;
/** Longer texts are shown as they are. */
const mostRead = 5_000_000;

export const Graph = ({ run }: { run: string }) => {
  const found = useLoaded(
    (signal) => runServer.getGraph({ query: { experimentKey: run } }, signal),
    [run],
  );
  const text = found.value?.graph ?? '';
  const layers = useMemo(
    () => (text === '' || text.length > mostRead ? undefined : readLayers(text)),
    [text],
  );
  if (found.value === undefined) return <Wait of={found} />;
  if (text === '')
    return (
      <p class="empty">
        This run logged no graph of its model. It does by <code>set_model_graph</code>.
      </p>
    );
  return (
    <section>
      <h2>
        Graph of the model <Copy text={text} what="Graph" />
      </h2>
      {layers === undefined ? (
        <Lines text={text} label="Graph" />
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Layers of the model">
          <table class="plain">
            <thead>
              <tr>
                <th>Layer</th>
                <th>Kind</th>
                <th>After</th>
                <th>Made with</th>
              </tr>
            </thead>
            <tbody>
              {layers.slice(0, mostLayers).map(({ name, kind, after, made }, at) => (
                <tr key={at}>
                  <th scope="row">{name}</th>
                  <td>{kind}</td>
                  <td>{after.join(', ')}</td>
                  <td class="faint">{made}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Cut shown={mostLayers} of={layers.length} what="layers" how="the copy has all" />
        </div>
      )}
    </section>
  );
};
